using Optiks.Secrets;
using Optiks.Tlog;
using Optiks.Witness;

namespace Optiks.Cli.Tests;

/// <summary>
/// Tests what the command <c>optiks witness init</c> creates. The tests in client/witness/tests test <c>optiks witness run</c>.
/// </summary>
public sealed class WitnessTests
{
    [Fact]
    public async Task A_key_and_an_empty_list_of_logs_are_made_once()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        CommandRun made = await CommandRun.RunAsync(fixture, "witness", "init", "witness.example/w", "--json");
        Assert.Equal(0, made.Code);
        var folder = new WitnessFolder(Path.Combine(fixture.Folder.In("data"), "witness"));
        Assert.Equal((folder.Key, folder.Logs),
            (made.Json.GetProperty("key_file").GetString(), made.Json.GetProperty("logs_file").GetString()));
        Assert.Equal(AtomicFile.PrivateMode, File.GetUnixFileMode(folder.Key));
        using (NoteSigner signer = CosignerKeyFile.Open(folder.Key))
        {
            Assert.Equal(made.Json.GetProperty("vkey").GetString(), signer.Key.ToString());
            Assert.Equal("witness.example/w", signer.Key.Name);
        }
        Assert.True(
            TlogPolicy.TryParse(await File.ReadAllBytesAsync(folder.Logs, TestContext.Current.CancellationToken), out TlogPolicy? logs,
                out _, out _));
        Assert.Empty(logs.Logs);

        byte[] key = await File.ReadAllBytesAsync(folder.Key, TestContext.Current.CancellationToken);
        CommandRun again = await CommandRun.RunAsync(fixture, "witness", "init", "witness.example/w");
        Assert.Equal(ExitCodes.Usage, again.Code);
        Assert.Contains("never overwritten", again.Error, StringComparison.Ordinal);
        Assert.Equal(key, await File.ReadAllBytesAsync(folder.Key, TestContext.Current.CancellationToken));
        Assert.Empty(fixture.Server.Requests);
    }

    [Fact]
    public async Task A_list_of_logs_that_is_there_stays()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        var folder = new WitnessFolder(fixture.Folder.In("w"));
        DataFolder.CreateFolder(folder.Root);
        await File.WriteAllTextAsync(folder.Logs, "mine\n", TestContext.Current.CancellationToken);

        CommandRun made = await CommandRun.RunAsync(fixture, "witness", "init", "w", "--folder", folder.Root);

        Assert.Equal(0, made.Code);
        Assert.StartsWith("vkey  w+", made.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("PRIVATE", made.Out, StringComparison.Ordinal);
        Assert.Equal("mine\n", await File.ReadAllTextAsync(folder.Logs, TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task A_name_that_is_none_makes_nothing()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        CommandRun refused = await CommandRun.RunAsync(fixture, "witness", "init", "a witness", "--folder", fixture.Folder.In("w"));
        Assert.Equal(ExitCodes.Usage, refused.Code);
        Assert.False(File.Exists(Path.Combine(fixture.Folder.In("w"), "key")));
    }
}
