using System.Diagnostics;
using System.Diagnostics.Metrics;
using Optiks.UpdateTask.Hosting;

namespace Optiks.UpdateTask.Telemetry;

/// <summary>
/// Publishes the task's metrics: it counts epochs, updates and failures, and measures how long each step of an epoch takes.
/// </summary>
internal sealed class TaskMetrics : IDisposable
{
    private readonly ActivitySource _source = new("Optiks.UpdateTask");
    private readonly Meter _meter;
    private readonly Counter<long> _epochs;
    private readonly Counter<long> _updates;
    private readonly Histogram<double> _step;
    private readonly Histogram<double> _epoch;
    private long _pending;
    private long _failures;
    private long _clearAt;

    public TaskMetrics(IMeterFactory factory, TaskState state)
    {
        _meter = factory.Create("Optiks.UpdateTask");
        _epochs = _meter.CreateCounter<long>("optiks.task.epochs", "{epoch}", "Epochs published.");
        _updates = _meter.CreateCounter<long>("optiks.task.updates", "{update}", "Updates decided, by outcome.");
        // This counter is observable, so that it reports 0 before the first failure. A plain counter would first appear with the value 1,
        // and an alert on its increase would miss the first failure.
        _meter.CreateObservableCounter("optiks.task.failures", () => Interlocked.Read(ref _failures), "{attempt}",
            "Failed attempts to make an epoch, which are retried.");
        var advice = new InstrumentAdvice<double>
        {
            HistogramBucketBoundaries = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
            0.5, 1, 2.5, 5, 10]
        };
        _step = _meter.CreateHistogram("optiks.epoch.step.duration", "s", "Duration of an epoch's steps.", tags: null, advice);
        _epoch = _meter.CreateHistogram(
            "optiks.epoch.duration", "s", "Time from the beginning of an epoch to its publication.", tags: null, advice);
        _meter.CreateObservableGauge(
            "optiks.task.pending", () => Interlocked.Read(ref _pending), "{update}", "Updates accepted and not yet in an epoch.");
        _meter.CreateObservableGauge("optiks.task.pending.age", () => state.Current.Role == TaskRole.Leading ? PendingAge() : 0, "s",
            "Time since all accepted updates were last in epochs; 0 while no update waits.");
        _meter.CreateObservableGauge("optiks.task.epoch.age", () => Measure(state.Current.Newest, _ => state.NewestAge.TotalSeconds), "s",
            "Age of the newest epoch's record, while this task leads.");
        _meter.CreateObservableGauge("optiks.task.heartbeat", () => Measure(state.Current.Newest, newest => newest.Heartbeat.TotalSeconds),
            "s", "How old the newest record may get without updates: the log's heartbeat.");
        _meter.CreateObservableGauge(
            "optiks.task.epoch", () => (long)(state.Current.PublishedEpoch ?? 0), "{epoch}", "Last epoch published by this task.");
        _meter.CreateObservableGauge(
            "optiks.task.leader", () => state.Current.Role == TaskRole.Leading ? 1 : 0, "{task}", "1 while this task holds the lease.");
        _meter.CreateObservableGauge("optiks.task.period", () => (long)state.Current.Period, "{period}", "The current period.");
        _meter.CreateObservableGauge("optiks.task.copies", () => (long)(state.Current.Copies ?? 0), "{copy}",
            "Rows of copies of the period that is being prepared.");
        _meter.CreateObservableGauge(
            "optiks.task.alarm", () => state.Current.Problem is null ? 0 : 1, "{alarm}", "1 while publishing is held up.");
    }

    public void Published(int updates, int refused, double seconds)
    {
        _epochs.Add(1);
        _epoch.Record(seconds);
        _updates.Add(updates, new KeyValuePair<string, object?>("optiks.outcome", "published"));
        _updates.Add(refused, new KeyValuePair<string, object?>("optiks.outcome", "refused"));
    }

    public void Failed() => Interlocked.Increment(ref _failures);

    public void Pending(long count) => Interlocked.Exchange(ref _pending, count);

    /// <summary>Records that this task begins to lead. The task does not know yet how many updates wait.</summary>
    public void Leads()
    {
        Pending(0);
        Volatile.Write(ref _clearAt, Stopwatch.GetTimestamp());
    }

    /// <summary>
    /// Records that all updates that were accepted before a time are in published epochs. The time is a timestamp of
    /// <see cref="Stopwatch"/>.
    /// </summary>
    public void AllPublished(long acceptedAt) => Volatile.Write(ref _clearAt, acceptedAt);

    /// <summary>Records the duration of one step of an epoch.</summary>
    public void Spent(EpochStep step, double seconds) =>
        _step.Record(seconds, new KeyValuePair<string, object?>("optiks.step", EpochTimes.GetName(step)));

    /// <summary>
    /// Starts a trace span for a step, inside the span of the step's epoch. Returns null if nobody collects traces, or if the step belongs
    /// to no epoch's span yet.
    /// </summary>
    public Activity? StartActivity(EpochStep step) =>
        Activity.Current is not null ? _source.StartActivity($"epoch {EpochTimes.GetName(step)}") : null;

    /// <summary>Starts a trace span for a whole epoch. Returns null if nobody collects traces.</summary>
    public Activity? StartEpoch() => _source.StartActivity("epoch");

    public void Dispose()
    {
        _source.Dispose();
        _meter.Dispose();
    }

    private double PendingAge() =>
        Interlocked.Read(ref _pending) == 0 ? 0 : Stopwatch.GetElapsedTime(Volatile.Read(ref _clearAt)).TotalSeconds;

    private static IEnumerable<Measurement<double>> Measure(NewestRecord? newest, Func<NewestRecord, double> value) =>
        newest is null ? [] : [new Measurement<double>(value(newest))];
}
