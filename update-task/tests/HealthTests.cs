using Microsoft.Extensions.Diagnostics.HealthChecks;
using Optiks.UpdateTask.Hosting;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>Tests the health that the task reports in each of its roles (docs/operations/health.md).</summary>
public sealed class HealthTests
{
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(1);

    private readonly ManualTime _time = new();
    private readonly TaskState _state;
    private readonly TaskHealthCheck _check;

    public HealthTests()
    {
        _state = new TaskState(_time);
        _check = new TaskHealthCheck(_state, Microsoft.Extensions.Options.Options.Create(new EpochOptions { EpochInterval = s_interval }));
    }

    [Fact]
    public async Task Ready_is_a_standby_or_a_leader_without_trouble()
    {
        await IsAsync(false, "Opening the database.");
        _state.Hold("The database is unavailable.");
        await IsAsync(false, "The database is unavailable.");
        _state.Enter(TaskRole.Standby);
        await IsAsync(true, "Standby");
        _state.Enter(TaskRole.Recovering);
        await IsAsync(false, "Rebuilding the trees.");
        _state.Enter(TaskRole.Leading);
        _state.Progress(7);
        await IsAsync(true, "Published epoch 7.");
        _state.Hold("The clocks disagree: nothing is published.");
        await IsAsync(false, "clocks disagree");
        _state.Progress(8);
        await IsAsync(true, "Published epoch 8.");
    }

    [Fact]
    public async Task A_leader_names_the_time_of_the_next_period()
    {
        _state.Enter(TaskRole.Leading);
        _state.Progress(7);
        _state.NextPeriod(DateTimeOffset.UnixEpoch.AddDays(90));
        await IsAsync(true, "Published epoch 7. Period 1 begins at 1970-04-01 00:00:00Z.");
        _state.NextPeriod(null);
        await IsAsync(true, "Published epoch 7.");
    }

    [Fact]
    public async Task A_leader_whose_work_is_overdue_is_not_ready()
    {
        _state.Enter(TaskRole.Leading);
        _state.Progress(7);
        _time.Advance(s_interval + TimeSpan.FromSeconds(10));
        await IsAsync(true, "Published epoch 7.");
        _time.Advance(TimeSpan.FromMilliseconds(1));
        await IsAsync(false, "overdue");
        _state.Progress(8);
        await IsAsync(true, "Published epoch 8.");
        // A standby stays ready, however long it waits for the lease.
        _state.Enter(TaskRole.Standby);
        _time.Advance(TimeSpan.FromDays(1));
        await IsAsync(true, "Standby");
    }

    private async Task IsAsync(bool ready, string text)
    {
        HealthCheckResult result = await _check.CheckHealthAsync(new HealthCheckContext(), TestContext.Current.CancellationToken);
        Assert.Equal(ready ? HealthStatus.Healthy : HealthStatus.Unhealthy, result.Status);
        Assert.Contains(text, result.Description, StringComparison.Ordinal);
    }
}
