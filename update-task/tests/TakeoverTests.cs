using System.Diagnostics;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>
/// Tests two tasks of one log. One task writes while the other waits. A task that is paused for longer than its lease must not write when
/// it resumes.
/// </summary>
public sealed class TakeoverTests
{
    [Fact]
    public async Task A_standby_is_ready_and_takes_over_at_once_when_the_holder_stops()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        // The first task's lease is long, so that the second task can take over in time only if the first task releases the lease.
        await using TaskProcess first = TaskProcess.Start(folder, null, "--Optiks:UpdateTask:LeaseDuration=00:09:00");
        await first.UntilAsync(folder, head => head.PublishedEpoch == 0);
        await first.UntilAsync(async () => (await first.GetAsync("/health/ready")) is { Status: 200 } ready
            && ready.Body.Contains("Published epoch 0", StringComparison.Ordinal));
        await using TaskProcess second = TaskProcess.Start(folder);
        await second.UntilAsync(async () =>
            (await second.GetAsync("/health/ready")) is { Status: 200 } ready && ready.Body.Contains("Standby", StringComparison.Ordinal));

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
        await using TaskProcess successor = TaskProcess.Start(folder);
        await PauseAndAcceptAsync(paused, updates);
        await successor.UntilAsync(folder, head => head.PublishedEpoch == 1);
        await paused.SignalAsync("CONT");
        await paused.UntilAsync(async () => (await paused.GetAsync("/health/ready")).Body.Contains("Standby", StringComparison.Ordinal));
        await updates.AcceptAsync("alice", "a2");
        await successor.UntilAsync(folder, head => head.PublishedEpoch == 2);
        Assert.Equal(ExitCodes.Success, await paused.TerminateAsync());
        Assert.Equal(ExitCodes.Success, await successor.TerminateAsync());
        Assert.Equal(2UL, await HistoryCheck.RunAsync(folder, updates));
    }

    // Pauses the task while it does not hold SQLite's write lock, and accepts an update. If the task is paused inside a transaction, it
    // blocks all other writers, which is not what the test is about. In that case the method resumes the task and tries again.
    private static async Task PauseAndAcceptAsync(TaskProcess task, Updates updates)
    {
        for (int attempt = 1; ; attempt++)
        {
            await task.SignalAsync("STOP");
            try
            {
                await updates.AcceptAsync("alice", "a1");
                return;
            }
            catch (StorageUnavailableException) when (attempt < 5)
            {
                await task.SignalAsync("CONT");
            }
        }
    }

    [Fact]
    public async Task Whoever_lost_the_lease_between_commit_and_signing_does_not_sign()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using TaskHost old =
            await TaskHost.StartAsync(folder, options => options.BoardLockTimeout = TimeSpan.FromMilliseconds(100), holder: "old");
        await old.StepAsync();
        await updates.AcceptAsync("alice", "a1");
        await CommitOnlyAsync(folder, old);

        await old.Store.ReleaseLeaseAsync(old.Keeper.Lease, TestContext.Current.CancellationToken);
        await using (TaskHost successor = await TaskHost.StartAsync(folder, holder: "new"))
        {
            await Assert.ThrowsAsync<StorageFencedException>(old.StepAsync);
            await successor.StepAsync();
            await Assert.ThrowsAsync<StorageFencedException>(old.StepAsync);
        }
        Assert.Equal(1UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Fact]
    public async Task An_epoch_that_the_board_did_not_take_is_finished_before_the_next()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using (TaskHost task =
            await TaskHost.StartAsync(folder, options => options.BoardLockTimeout = TimeSpan.FromMilliseconds(100)))
        {
            await task.StepAsync();
            await updates.AcceptAsync("alice", "a1");
            await CommitOnlyAsync(folder, task);
            await updates.AcceptAsync("alice", "a2");
            await task.StepAsync();
        }
        Assert.Equal(2UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Theory]
    [InlineData("Optiks.UpdateTask", true)]
    [InlineData("Optiks.UpdateTask", true, true)]
    [InlineData("backup", false)]
    [InlineData("backup", false, true)]
    public async Task A_hanging_task_that_keeps_the_boards_lock_is_killed_and_nobody_else(string name, bool killed, bool isLinked = false)
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        if (isLinked)
        {
            folder.Link();
        }
        await using TaskHost task = await TaskHost.StartAsync(folder, options => options.BoardLockTimeout = TimeSpan.FromMilliseconds(200));
        await task.StepAsync();
        string path = Path.Combine(new BoardFolder(folder.Data).Log, ".lock");
        using Process keeper = Process.Start("/usr/bin/flock", ["--no-fork", path, "/bin/bash", "-c", $"exec -a {name} sleep 60"]);
        try
        {
            while (BoardLock.TryAcquire(Path.GetDirectoryName(path)!) is { } free)
            {
                free.Dispose();
                await Task.Delay(10, TestContext.Current.CancellationToken);
            }
            await new Updates(folder).AcceptAsync("alice", "a1");
            if (killed)
            {
                await task.StepAsync();
                await keeper.WaitForExitAsync(TestContext.Current.CancellationToken);
                Assert.Equal(TaskProcess.Killed, keeper.ExitCode);
            }
            else
            {
                await Assert.ThrowsAsync<IOException>(task.StepAsync);
                Assert.False(keeper.HasExited);
            }
        }
        finally
        {
            keeper.Kill();
        }
    }

    // Makes an epoch that is committed but not signed. The test holds the board's lock, so the publication fails, as it would on a full
    // disk.
    private static async Task CommitOnlyAsync(TestFolder folder, TaskHost task)
    {
        using (BoardLock? held = BoardLock.TryAcquire(new BoardFolder(folder.Data).Log))
        {
            Assert.NotNull(held);
            await Assert.ThrowsAsync<IOException>(task.StepAsync);
        }
        Assert.NotNull(task.Session.Unfinished);
    }
}
