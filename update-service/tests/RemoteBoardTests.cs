using Microsoft.AspNetCore.Http;
using Optiks.ServiceDefaults;
using Optiks.Tests.Shared;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>
/// Tests a service whose board is at a URL and not in a local folder. The service relies on all checkpoints that the board has served, even
/// if the board no longer serves them.
/// </summary>
public sealed class RemoteBoardTests
{
    private const string Body = """{"key":"alice","value":"v"}""";

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task An_older_copy_takes_no_updates_and_nothing_published_is_said_before_the_board_has_it()
    {
        using var elsewhere = new TemporaryFolder();
        await using BoardServer board = await BoardServer.StartAsync(elsewhere.Path);
        await using Service service = await StartAsync(board);
        await service.Log.StartAsync();
        // The service must ignore a board's folder that exists on this machine.
        DataFolder.CreateFolder(Path.Combine(service.Data.Board, "log"));
        await File.WriteAllTextAsync(Path.Combine(service.Data.Board, "log", "checkpoint"), "damaged", Cancel);
        BoardFiles.WriteCheckpoint(service.Data, elsewhere.Path, size: 1);
        await ReadyAsync(service);
        Answer accepted = await service.PostAsync(Body);
        Assert.Equal(202, accepted.Status);

        await service.Log.PublishAsync();
        string status = $"/v1/updates/{accepted.Text("request_id")}";
        Assert.Equal("pending", (await service.GetAsync($"{status}?wait=1")).Text("status"));
        BoardFiles.WriteCheckpoint(service.Data, elsewhere.Path, size: 2);
        Assert.Equal("published", (await service.GetAsync($"{status}?wait=60")).Text("status"));
        Assert.Equal(2, service.Gauge("optiks.service.board.size"));

        // The board's checkpoint has one epoch more than the database, and later fewer epochs again. The larger checkpoint stays in force,
        // because the log has signed it.
        BoardFiles.WriteCheckpoint(service.Data, elsewhere.Path, size: 3);
        await HeldAsync(service);
        BoardFiles.WriteCheckpoint(service.Data, elsewhere.Path, size: 1);
        await SilentAsync(service, "has size 1; it had one of size 3");
        await HeldAsync(service);
        await service.Log.PublishAsync();
        Assert.Equal(202, (await service.PostAsync(Body)).Status);
    }

    [Fact]
    public async Task A_board_that_goes_away_holds_up_nothing_and_one_that_never_came_everything()
    {
        using var elsewhere = new TemporaryFolder();
        await using BoardServer board = await BoardServer.StartAsync(elsewhere.Path);
        board.Fails(StatusCodes.Status503ServiceUnavailable);
        await using Service service = await StartAsync(board);
        await service.Log.StartAsync();
        await SilentAsync(service, "The board has not been read yet. It answers 503.");
        string before = service.Database.Contents();
        (await service.PostAsync(Body)).IsProblem("unavailable", 503, null);
        Assert.Equal(before, service.Database.Contents());

        // A board without a checkpoint belongs to a new log, so the service accepts updates.
        board.Fault = null;
        await ReadyAsync(service);
        Assert.Equal(202, (await service.PostAsync(Body)).Status);
        BoardFiles.WriteCheckpoint(service.Data, elsewhere.Path, size: 1);
        while (service.Gauge("optiks.service.board.size") != 1)
        {
            await Task.Delay(20, Cancel);
        }
        board.Fails(StatusCodes.Status404NotFound);
        await SilentAsync(service, "It no longer has a checkpoint.");
        Assert.Equal(202, (await service.PostAsync(Body)).Status);
        board.Fault = null;
        await ReadyAsync(service);
    }

    [Theory]
    [InlineData("board.example.org/")]
    [InlineData("ftp://board.example.org/")]
    [InlineData("https://board.example.org/?x=1")]
    [InlineData("https://user@board.example.org/")]
    public async Task An_address_that_no_files_can_be_below_is_refused(string url)
    {
        Exception refused = await Assert.ThrowsAnyAsync<Exception>(() => Service.StartAsync(new() { ["Optiks:Board:Url"] = url }));
        Assert.Contains($"{BoardOptions.Section}:Url is not an address", refused.Message, StringComparison.Ordinal);
    }

    private static Task<Service> StartAsync(BoardServer board) => Service.StartAsync(new()
    {
        ["Optiks:Board:Url"] = board.Url,
        ["Optiks:Board:PollInterval"] = "00:00:00.050",
        ["Optiks:Board:UnreadyAfter"] = "00:00:00.300",
    });

    private static Task ReadyAsync(Service service) =>
        Eventually.IsAsync(async () => (await service.GetAsync("/health/ready")).Status == 200);

    private static Task SilentAsync(Service service, string why) =>
        Eventually.IsAsync(async () => (await service.GetAsync("/health/ready")) is { Status: 503 } answer
            && answer.Json.GetRawText().Contains(why, StringComparison.Ordinal));

    private static async Task HeldAsync(Service service)
    {
        await Eventually.IsAsync(
            async () => (await service.GetAsync("/health/ready")).Json.GetRawText().Contains("do not agree", StringComparison.Ordinal));
        string before = service.Database.Contents();
        (await service.PostAsync(Body)).IsProblem("unavailable", 503, null);
        Assert.Equal(before, service.Database.Contents());
    }
}
