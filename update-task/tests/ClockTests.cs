using Optiks.UpdateTask.Tests.Support;
using Optiks.UpdateTask.Time;

namespace Optiks.UpdateTask.Tests;

/// <summary>Tests that the task publishes nothing while a clock is wrong, because a record with a wrong time could block the log.</summary>
public sealed class ClockTests
{
    [Theory]
    [InlineData(3600)]
    [InlineData(-3600)]
    [InlineData(6)]
    public async Task A_wall_clock_that_jumps_holds_up_epochs_until_it_is_back(int seconds)
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var time = new ManualTime();
        await using (TaskHost task =
            await TaskHost.StartAsync(folder, options => options.LeaseDuration = TimeSpan.FromMinutes(5), time: time))
        {
            await task.StepAsync();
            await updates.AcceptAsync("alice", "a1");
            time.JumpWallClock(TimeSpan.FromSeconds(seconds));
            await task.StepAsync();
            Assert.Equal(0UL, task.Session.Last.Epoch);
            Assert.Contains("clocks disagree", task.State.Current.Problem, StringComparison.Ordinal);

            time.JumpWallClock(TimeSpan.FromSeconds(-seconds));
            await task.StepAsync();
            Assert.Equal(1UL, task.Session.Last.Epoch);
            Assert.Null(task.State.Current.Problem);
        }
        Assert.Equal(1UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Fact]
    public async Task A_clock_that_jumped_while_standing_by_does_not_count_as_right()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var time = new ManualTime();
        void Jump() => time.JumpWallClock(TimeSpan.FromHours(1));
        StartupException refused =
            await Assert.ThrowsAsync<StartupException>(() => TaskHost.StartAsync(folder, time: time, beforeLease: Jump));
        Assert.Contains("wall clock moved", refused.Message, StringComparison.Ordinal);
        Assert.False(File.Exists(folder.Data.LogKey));
        await using (TaskHost first = await TaskHost.StartAsync(folder, time: time))
        {
            await first.StepAsync();
        }
        await using TaskHost task = await TaskHost.StartAsync(folder, time: time, beforeLease: Jump);
        await task.StepAsync();
        Assert.Contains("clocks disagree", task.State.Current.Problem, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Records_times_increase_although_the_clock_stands_still_or_steps_back_a_little()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var time = new ManualTime();
        ulong start;
        await using (TaskHost task =
            await TaskHost.StartAsync(folder, options => options.LeaseDuration = TimeSpan.FromMinutes(5), time: time))
        {
            await task.StepAsync();
            start = task.Session.LastTimeMs;
            await updates.AcceptAsync("alice", "a1");
            await task.StepAsync();
            Assert.Equal(start + 1, task.Session.LastTimeMs);
            time.JumpWallClock(TimeSpan.FromSeconds(-4));
            await updates.AcceptAsync("alice", "a2");
            await task.StepAsync();
            Assert.Equal(start + 2, task.Session.LastTimeMs);
        }
        Assert.Equal(2UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Fact]
    public async Task A_record_has_the_time_that_was_checked()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var time = new ManualTime();
        await using TaskHost task =
            await TaskHost.StartAsync(folder, options => options.LeaseDuration = TimeSpan.FromMinutes(5), time: time);
        await task.StepAsync();
        await updates.AcceptAsync("alice", "a1");
        ulong before = (ulong)time.GetUtcNow().ToUnixTimeMilliseconds();
        // The wall clock jumps right after the guard has read and accepted it. The record must still have the accepted time.
        time.JumpAfterReadBy(nameof(ClockGuard), TimeSpan.FromHours(1));
        await task.StepAsync();
        Assert.Equal(1UL, task.Session.Last.Epoch);
        Assert.InRange(task.Session.LastTimeMs, before, before + 1000);
    }

    [Fact]
    public async Task A_log_whose_last_record_is_from_the_future_is_not_ready()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        var ahead = new ManualTime();
        ahead.JumpWallClock(TimeSpan.FromHours(1));
        await using (TaskHost task = await TaskHost.StartAsync(folder, time: ahead))
        {
            await task.StepAsync();
            Assert.Null(task.State.Current.Problem);
        }
        var time = new ManualTime();
        await using (TaskHost task = await TaskHost.StartAsync(folder, time: time))
        {
            await task.StepAsync();
            Assert.Contains("from the future", task.State.Current.Problem, StringComparison.Ordinal);
            time.Advance(TimeSpan.FromHours(1));
            await task.StepAsync();
            Assert.Null(task.State.Current.Problem);
        }
        Assert.Equal(0UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Fact]
    public void The_databases_clock_may_differ_by_the_limit_and_no_more()
    {
        var time = new ManualTime();
        var guard = new ClockGuard(time, TimeSpan.FromSeconds(5));
        Assert.Null(guard.Check(time.GetUtcNow() + TimeSpan.FromSeconds(5), out _));
        Assert.NotNull(guard.Check(time.GetUtcNow() + TimeSpan.FromSeconds(5.1), out _));
        Assert.Null(guard.Check(time.GetUtcNow() - TimeSpan.FromSeconds(5), out _));
        Assert.NotNull(guard.Check(time.GetUtcNow() - TimeSpan.FromSeconds(5.1), out _));
        time.Advance(TimeSpan.FromHours(1));
        Assert.Null(guard.Check(time.GetUtcNow(), out _));
    }

    [Fact]
    public void The_monotonic_clock_counts_forward()
    {
        var time = new BootTimeProvider();
        long first = time.GetTimestamp();
        Assert.True(time.GetElapsedTime(first) is { } elapsed && elapsed >= TimeSpan.Zero && elapsed < TimeSpan.FromMinutes(1));
    }
}
