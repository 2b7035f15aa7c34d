using System.Diagnostics.Metrics;
using Optiks.UpdateService.Accepting;

namespace Optiks.UpdateService.Telemetry;

/// <summary>UpdateMetrics count what is accepted and how long commits take.</summary>
internal sealed class UpdateMetrics : IDisposable
{
    /// <summary>MeterName of all of them.</summary>
    public const string MeterName = "Optiks.UpdateService";

    private readonly Meter _meter;
    private readonly Histogram<double> _duration;
    private readonly Histogram<int> _callers;
    private readonly Counter<long> _updates;
    private readonly Counter<long> _overloads;

    public UpdateMetrics(IMeterFactory factory)
    {
        _meter = factory.Create(MeterName);
        _duration = _meter.CreateHistogram("optiks.update.commit.duration", "s", "Duration of group commits, by outcome.", tags: null, advice: new InstrumentAdvice<double>
        {
            HistogramBucketBoundaries = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
        });
        _callers = _meter.CreateHistogram("optiks.update.commit.callers", "{caller}", "Callers whose updates one commit held.", tags: null, advice: new InstrumentAdvice<int>
        {
            HistogramBucketBoundaries = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096],
        });
        _updates = _meter.CreateCounter<long>("optiks.update.updates", "{update}", "Updates that commits held, by outcome of the commit.");
        _overloads = _meter.CreateCounter<long>("optiks.update.overloads", "{request}", "Requests refused because the queue was full or did not move.");
    }

    /// <summary>ObserveQueue says how to read the queue's depth.</summary>
    public void ObserveQueue(Func<int> callers, Func<long> octets)
    {
        _meter.CreateObservableGauge("optiks.update.queue.callers", callers, "{caller}", "Callers that wait for a commit to begin.");
        _meter.CreateObservableGauge("optiks.update.queue.size", octets, "By", "Memory of the requests that are read, wait for a commit or are in one.");
    }

    /// <summary>Committed takes note of a group commit's end.</summary>
    public void Committed(CommitState state, int callers, int updates, TimeSpan duration)
    {
        var outcome = new KeyValuePair<string, object?>("outcome", state switch
        {
            CommitState.Decided => "decided",
            CommitState.Unavailable => "unavailable",
            CommitState.OlderCopy => "older-copy",
            _ => "failed",
        });
        _duration.Record(duration.TotalSeconds, outcome);
        _callers.Record(callers, outcome);
        _updates.Add(updates, outcome);
    }

    /// <summary>Overloaded takes note of a refused request.</summary>
    public void Overloaded() => _overloads.Add(1);

    public void Dispose() => _meter.Dispose();
}
