using System.Diagnostics;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>Tests a holder of the lease whose work hangs. It must give up the lease, so that a standby can make the epochs.</summary>
[Trait("Level", "Deep")]
public sealed class StalledLeaderTests
{
    private const string Stalls = "--Optiks:UpdateTask:StallTimeout=00:00:08";

    [Fact]
    public async Task A_leader_whose_bucket_stalls_gives_the_lease_up_and_a_standby_takes_over()
    {
        await using TestBucket bucket = await TestBucket.StartAsync();
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        string[] settings = [.. bucket.Settings, "--Optiks:Bucket:KeepsMark=true", folder.StorageSetting];
        // Only the first task reaches the bucket under this host name, so the test can stall the bucket for the first task alone. The first
        // task's timeout for the bucket is longer than this test takes.
        string byName =
            $"--Optiks:Bucket:ServiceUrl={bucket.Options.ServiceUrl.Replace("127.0.0.1", "localhost", StringComparison.Ordinal)}";
        await using TaskProcess first = TaskProcess.Start(
            folder, null, [.. settings, byName, Stalls, "--Optiks:UpdateTask:LeaseDuration=00:00:10", "--Optiks:Bucket:Timeout=00:05:00"]);
        await first.UntilAsync(folder, head => head.PublishedEpoch == 0);
        using TestFolder other = folder.OtherHost();
        await using TaskProcess second = TaskProcess.Start(other, null, settings);
        await second.UntilAsync(async () => (await second.GetAsync("/health/ready")).Body.Contains("Standby", StringComparison.Ordinal));
        bucket.Fault = async (context, _, _) =>
        {
            if (context.Request.Host.Host != "localhost")
            {
                return false;
            }
            await context.Response.Body.FlushAsync(context.RequestAborted);
            await Task.Delay(Timeout.InfiniteTimeSpan, context.RequestAborted).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            return true;
        };
        await updates.AcceptAsync("alice", "a1");
        await second.UntilAsync(folder, head => head.PublishedEpoch == 1);
        await first.UntilAsync(() => Task.FromResult(first.Output.Contains("\"EventId\":3008", StringComparison.Ordinal)));
        Assert.Equal(ExitCodes.Success, await second.TerminateAsync());
        Assert.Equal(ExitCodes.Success, await first.TerminateAsync());
    }

    [Fact]
    public async Task A_step_that_never_ends_ends_the_process_and_the_next_one_goes_on()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using TaskProcess hung = TaskProcess.Start(folder, null, Stalls);
        await hung.UntilAsync(folder, head => head.PublishedEpoch == 0);
        // The checkpoint file is replaced by a named pipe. Opening the pipe for reading hangs until a writer opens it. In the same way,
        // opening a file hangs on a network file system whose server is gone.
        string checkpoint = Path.Combine(new BoardFolder(folder.Data).Log, "checkpoint");
        File.Move(checkpoint, $"{checkpoint}.kept");
        using (Process made = Process.Start("/usr/bin/mkfifo", [checkpoint]))
        {
            await made.WaitForExitAsync(TestContext.Current.CancellationToken);
        }
        await updates.AcceptAsync("alice", "a1");
        Assert.Equal(ExitCodes.Unreachable, await hung.ExitAsync());
        Assert.Contains("neither ends nor fails", hung.Output, StringComparison.Ordinal);

        File.Move($"{checkpoint}.kept", checkpoint, overwrite: true);
        await using TaskProcess next = TaskProcess.Start(folder);
        await next.UntilAsync(folder, head => head.PublishedEpoch == 1);
        Assert.Equal(ExitCodes.Success, await next.TerminateAsync());
        Assert.Equal(1UL, await HistoryCheck.RunAsync(folder, updates));
    }
}
