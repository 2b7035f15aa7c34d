using Optiks.Storage;
using Optiks.UpdateTask.Hosting;

namespace Optiks.UpdateTask.Telemetry;

/// <summary>Reports the task's work through the task's status, metrics and log. Only one thread at a time may use it.</summary>
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

    /// <summary>The log for events that do not change the task's status.</summary>
    public ILogger Log { get; }

    public void Enter(TaskRole role) => _state.Enter(role);

    /// <summary>Reports that all work that was due is done, up to the publication of this epoch.</summary>
    public void Progress(ulong publishedEpoch) => _state.Progress(publishedEpoch);

    /// <summary>Reports the log's newest record. The next record must follow within the time of the heartbeat.</summary>
    public void Newest(ulong timeMs, uint heartbeatMs) =>
        _state.Newest(new NewestRecord(DateTimeOffset.FromUnixTimeMilliseconds((long)timeMs), TimeSpan.FromMilliseconds(heartbeatMs)));

    /// <summary>
    /// Reports the current period, and how many copies of the next period are staged. The parameter <paramref name="copies"/> is null if no
    /// period is being prepared.
    /// </summary>
    public void Period(ulong current, int? copies) => _state.Period(current, copies);

    /// <summary>Reports the earliest time at which the next period may begin; the time is null while no switch is planned.</summary>
    public void NextPeriod(DateTimeOffset? at) => _state.NextPeriod(at);

    /// <summary>
    /// Reports a problem that keeps epochs from being published. The status shows this sentence until the task makes progress again.
    /// </summary>
    public void Hold(string problem) => _state.Hold(problem);

    public void DatabaseUnavailable(Exception e) => Failed(e, TemporaryFailure.DatabaseUnavailable);

    /// <summary>
    /// Logs a failure that may be temporary, and shows the sentence in the parameter <paramref name="problem"/> in the task's status.
    /// </summary>
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

    /// <summary>
    /// Reports whether the clocks agree. The parameter <paramref name="disagreement"/> says which clocks disagree; it is null if they
    /// agree. The beginning and the end of a disagreement are logged.
    /// </summary>
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
