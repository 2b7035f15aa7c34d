using Optiks.Storage;
using Optiks.UpdateTask.Hosting;

namespace Optiks.UpdateTask.Telemetry;

/// <summary>Reports the task's work through its status, its metrics and its log. One writer.</summary>
internal sealed class TaskReport
{
    private const string ClockProblem = "The clocks disagree: nothing is published.";

    private readonly TaskState _state;

    public TaskReport(TaskState state, TaskMetrics metrics, ILogger<TaskReport> log)
    {
        _state = state;
        Metrics = metrics;
        Log = log;
    }

    public TaskMetrics Metrics { get; }

    /// <summary>The log for events that do not change the status.</summary>
    public ILogger Log { get; }

    public void Enter(TaskRole role) => _state.Enter(role);

    /// <summary>Reports that everything due is done, up to this epoch.</summary>
    public void Progress(ulong publishedEpoch) => _state.Progress(publishedEpoch);

    /// <summary>Reports the newest record; the next record follows within the heartbeat.</summary>
    public void Newest(ulong timeMs, uint heartbeatMs) => _state.Newest(new NewestRecord(DateTimeOffset.FromUnixTimeMilliseconds((long)timeMs), TimeSpan.FromMilliseconds(heartbeatMs)));

    /// <summary>
    /// Reports the current period, and how many copies of the next period are staged; null if no period is being prepared.
    /// </summary>
    public void Period(ulong current, int? copies) => _state.Period(current, copies);

    /// <summary>Reports the earliest time at which the next period begins; null while no switch is planned.</summary>
    public void NextPeriod(DateTimeOffset? at) => _state.NextPeriod(at);

    /// <summary>Reports in a sentence the problem that keeps epochs from being published, until the next progress.</summary>
    public void Hold(string problem) => _state.Hold(problem);

    public void DatabaseUnavailable(Exception e) => Failed(e, TemporaryFailure.DatabaseUnavailable);

    /// <summary>Reports a failure that may be temporary, with the sentence for the status.</summary>
    public void Failed(Exception e, string problem)
    {
        if (e is StorageUnavailableException)
        {
            Log.DatabaseUnavailable(e);
        }
        else
        {
            Log.EpochFailed(e);
        }
        Hold(problem);
    }

    /// <summary>Reports which clocks disagree, or null if they agree. Each change between the two is logged.</summary>
    public void Clocks(string? disagreement)
    {
        bool alarmed = _state.Current.Problem == ClockProblem;
        if (disagreement is null)
        {
            if (alarmed)
            {
                Log.ClockAlarmEnded();
            }
            return;
        }
        if (!alarmed)
        {
            Log.ClockAlarm(disagreement);
        }
        Hold(ClockProblem);
    }
}
