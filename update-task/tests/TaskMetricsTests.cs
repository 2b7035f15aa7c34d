using System.Diagnostics;
using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Optiks.UpdateTask.Hosting;
using Optiks.UpdateTask.Telemetry;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>Tests two metrics on which operators set alerts: how long updates have waited, and how old the newest epoch is.</summary>
public sealed class TaskMetricsTests
{
    private const string PendingAge = "optiks.task.pending.age";
    private const string EpochAge = "optiks.task.epoch.age";

    [Fact]
    public async Task Updates_wait_since_the_last_moment_at_which_all_were_published()
    {
        await using ServiceProvider services = new ServiceCollection().AddMetrics().BuildServiceProvider();
        var time = new ManualTime();
        var state = new TaskState(time);
        using var metrics = new TaskMetrics(services.GetRequiredService<IMeterFactory>(), state);
        double Age() => Gauges.Read(services, PendingAge)!.Value;
        state.Enter(TaskRole.Leading);
        metrics.Leads();
        Assert.Equal(0, Age());
        await Task.Delay(60, TestContext.Current.CancellationToken);
        metrics.Pending(5);
        double waited = Age();
        Assert.True(waited >= 0.05);
        metrics.AllPublished(Stopwatch.GetTimestamp());
        Assert.True(Age() < waited);
        metrics.Pending(0);
        Assert.Equal(0, Age());
        metrics.Pending(5);
        state.Enter(TaskRole.Standby);
        Assert.Equal(0, Age());
    }

    [Fact]
    public async Task A_backlog_waits_until_its_last_update_is_published()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using TaskHost task = await TaskHost.StartAsync(folder, options => options.MaxUpdatesPerEpoch = 2);
        task.State.Enter(TaskRole.Leading);
        task.Metrics.Leads();
        for (int i = 0; i < 5; i++)
        {
            await updates.AcceptAsync($"key {i}", "v");
        }
        var watch = Stopwatch.StartNew();
        await Task.Delay(30, TestContext.Current.CancellationToken);
        Assert.True(await task.StepAsync(behind: false));
        Assert.True(Gauges.Read(task.Services, PendingAge) >= watch.Elapsed.TotalSeconds);
        while (await task.StepAsync(behind: false))
        {
        }
        Assert.True(Gauges.Read(task.Services, PendingAge) < watch.Elapsed.TotalSeconds);
    }

    [Fact]
    public async Task The_newest_epoch_ages_while_none_is_made()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var time = new ManualTime();
        await using TaskHost task = await TaskHost.StartAsync(
            folder, epochs: options => options.LeaseDuration = TimeSpan.FromMinutes(10),
            log: options => options.Heartbeat = TimeSpan.FromSeconds(50), time: time);
        Assert.Null(Gauges.Read(task.Services, EpochAge));
        await task.StepAsync();
        Assert.Equal(50, Gauges.Read(task.Services, "optiks.task.heartbeat"));
        double? before = Gauges.Read(task.Services, EpochAge);
        time.Advance(TimeSpan.FromSeconds(30));
        Assert.Equal(30, Gauges.Read(task.Services, EpochAge) - before);
        time.Advance(TimeSpan.FromSeconds(30));
        await task.StepAsync();
        Assert.True(Gauges.Read(task.Services, EpochAge) < 1);
        // A standby does not know the newest epoch, so it must not report the age of the newest epoch.
        task.State.Enter(TaskRole.Standby);
        Assert.Null(Gauges.Read(task.Services, EpochAge));
    }
}
