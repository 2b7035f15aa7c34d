using Optiks.Storage;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>Two tasks: one writes, the other waits; whoever was paused past its lease does not write again.</summary>
public sealed class TakeoverTests
{
    [Fact]
    public async Task A_standby_is_ready_and_takes_over_at_once_when_the_holder_stops()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        // Long, so that only a released lease can be taken within the test's patience.
        await using TaskProcess first = TaskProcess.Start(folder, null, "--Optiks:UpdateTask:LeaseDuration=00:09:00");
        await first.UntilAsync(folder, head => head.PublishedEpoch == 0);
        await first.UntilAsync(async () => (await first.GetAsync("/health/ready")) is { Status: 200 } ready && ready.Body.Contains("Published epoch 0", StringComparison.Ordinal));
        await using TaskProcess second = TaskProcess.Start(folder);
        await second.UntilAsync(async () => (await second.GetAsync("/health/ready")) is { Status: 200 } ready && ready.Body.Contains("Standby", StringComparison.Ordinal));

        Assert.Equal(ExitCodes.Success, await first.TerminateAsync());
        await updates.AcceptAsync("alice", "a1");
        await second.UntilAsync(folder, head => head.PublishedEpoch == 1);
        Assert.Equal(ExitCodes.Success, await second.TerminateAsync());
        Assert.Equal(1UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Fact]
    public async Task A_paused_holder_is_fenced_and_becomes_a_standby()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using TaskProcess paused = TaskProcess.Start(folder);
        await paused.UntilAsync(folder, head => head.PublishedEpoch == 0);
        await paused.SignalAsync("STOP");
        await using TaskProcess successor = TaskProcess.Start(folder);
        await updates.AcceptAsync("alice", "a1");
        await successor.UntilAsync(folder, head => head.PublishedEpoch == 1);
        await paused.SignalAsync("CONT");
        await paused.UntilAsync(async () => (await paused.GetAsync("/health/ready")).Body.Contains("Standby", StringComparison.Ordinal));
        await updates.AcceptAsync("alice", "a2");
        await successor.UntilAsync(folder, head => head.PublishedEpoch == 2);
        Assert.Equal(ExitCodes.Success, await paused.TerminateAsync());
        Assert.Equal(ExitCodes.Success, await successor.TerminateAsync());
        Assert.Equal(2UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Fact]
    public async Task Whoever_lost_the_lease_between_commit_and_signing_does_not_sign()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using TaskHost old = await TaskHost.StartAsync(folder, options => options.LeaseDuration = TimeSpan.FromSeconds(1), holder: "old");
        await old.StepAsync();
        await updates.AcceptAsync("alice", "a1");
        // The old holder forgets its lease; the new one takes it and publishes.
        await old.Store.ReleaseLeaseAsync(old.Keeper.Lease, TestContext.Current.CancellationToken);
        await using (TaskHost successor = await TaskHost.StartAsync(folder, holder: "new"))
        {
            await Assert.ThrowsAsync<StorageFencedException>(old.StepAsync);
            await successor.StepAsync();
            await Assert.ThrowsAsync<StorageFencedException>(old.StepAsync);
        }
        Assert.Equal(1UL, await HistoryCheck.RunAsync(folder, updates));
    }
}
