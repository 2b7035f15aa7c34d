using System.Text;
using Optiks.Db.Tests.Support;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.Db.Tests;

/// <summary>Tests a log with users, which has leaves of all structures and requests that do not change the device list.</summary>
public sealed class UserTests(SampleLog sample, UserSample users) : IClassFixture<UserSample>
{
    [Fact]
    public async Task Whatever_became_of_a_request_about_a_user_is_clean()
    {
        using LogFolder log = users.Copy();
        (int code, string output, _) = await log.RunAsync("fsck", "--board", log.Data.Board);
        Assert.StartsWith("clean: ", output, StringComparison.Ordinal);
        Assert.Equal(ExitCodes.Success, code);
    }

    [Theory]
    [InlineData("UPDATE outcome SET refusal = 2 WHERE refusal = 0", "was not decided as a whole.")]
    [InlineData("UPDATE outcome SET epoch = 1 WHERE refusal = 0", "was not decided as a whole.")]
    [InlineData("UPDATE outcome SET refusal = 0 WHERE refusal = 4 AND item = 0", "was not decided as a whole.")]
    [InlineData("UPDATE outcome SET refusal = 0 WHERE refusal = 4 AND item = 1", "was not decided as a whole.")]
    [InlineData("UPDATE outcome SET refusal = 0 WHERE refusal = 4", "was not decided as a whole.")]
    [InlineData("DELETE FROM outcome WHERE refusal = 0", "does not have all of its items.")]
    public async Task A_list_stays_as_it_is_only_where_its_request_was_published(string fault, string sentence)
    {
        using LogFolder log = users.Copy();
        log.Execute(fault);
        (int code, string output, string error) = await log.RunAsync("fsck");
        Assert.Equal("", error);
        Assert.Contains(sentence, output, StringComparison.Ordinal);
        Assert.Equal(ExitCodes.Invalid, code);
    }

    [Fact]
    public async Task An_export_and_bundles_bring_all_of_it_back()
    {
        using LogFolder log = sample.Copy();
        string database = log.Data.Database;
        LogFolder.CopyDatabase(database, database + ".old");
        (AcceptRequest set, AcceptRequest refused) = await UserSample.PublishAsync(log);
        string file = Path.Combine(log.Data.Root, "export");
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("export", file)).Code);

        LogFolder.CopyDatabase(database + ".old", database);
        (int code, _, string error) = await log.RunAsync("import-bundles", log.Bundles);
        Assert.Equal(("", ExitCodes.Success), (error, code));
        await AssertAsync(log, set, refused);

        foreach (string suffix in (string[])["", "-wal", "-shm"])
        {
            File.Delete(database + suffix);
        }
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("migrate")).Code);
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("import", file)).Code);
        await AssertAsync(log, set, refused);
        // To decide this request, the update-task must read the device list from the imported database.
        AcceptRequest removed = await log.AcceptAsync(UserSample.List(new UserChange(false, [], [Octets("device")])));
        await log.PublishAsync();
        PublishedItem list = Assert.Single((await log.StatusAsync(removed))!.Items);
        Assert.Equal((StructureId.Devices, 2ul), (list.Structure, list.Version));
    }

    [Fact]
    public async Task Dummies_are_clean_and_come_back_from_bundles_and_exports()
    {
        using LogFolder log = sample.Copy();
        log.TaskSettings = ["--Optiks:Padding:Usernames=3", "--Optiks:Padding:Keys=5"];
        string database = log.Data.Database;
        LogFolder.CopyDatabase(database, database + ".old");
        (AcceptRequest set, AcceptRequest refused) = await UserSample.PublishAsync(log);
        await AssertAsync(log, set, refused);
        string file = Path.Combine(log.Data.Root, "export");
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("export", file)).Code);

        LogFolder.CopyDatabase(database + ".old", database);
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("import-bundles", log.Bundles)).Code);
        await AssertAsync(log, set, refused);

        foreach (string suffix in (string[])["", "-wal", "-shm"])
        {
            File.Delete(database + suffix);
        }
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("migrate")).Code);
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("import", file)).Code);
        await AssertAsync(log, set, refused);
    }

    private static async Task AssertAsync(LogFolder log, AcceptRequest set, AcceptRequest refused)
    {
        Assert.StartsWith("clean: ", (await log.RunAsync("fsck", "--board", log.Data.Board)).Output, StringComparison.Ordinal);
        RequestStatus status = (await log.StatusAsync(set))!;
        Assert.Equal((RequestState.Published, StructureId.Keys), (status.State, Assert.Single(status.Items).Structure));
        status = (await log.StatusAsync(refused))!;
        Assert.Equal((RequestState.Refused, RefusalReason.UserUnknown), (status.State, status.Refusal!.Reason));
    }

    private static byte[] Octets(string text) => Encoding.UTF8.GetBytes(text);
}
