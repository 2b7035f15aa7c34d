using System.Diagnostics;
using System.Diagnostics.Metrics;
using Optiks.ServiceDefaults;
using Optiks.UpdateService.Accepting;

namespace Optiks.UpdateService.Telemetry;

/// <summary>Counts accepted and refused requests, measures how long commits take, and makes trace spans of commits. Thread-safe.</summary>
internal sealed class UpdateMetrics : IDisposable
{
    /// <summary>The name of the meter to which all of these metrics belong.</summary>
    public const string MeterName = "Optiks.UpdateService";

    private const int MaxLinks = 128;

    private readonly ActivitySource _source = new(MeterName);
    private readonly Meter _meter;
    private readonly Histogram<double> _duration;
    private readonly Histogram<int> _callers;
    private readonly Counter<long> _updates;
    private readonly Counter<long> _refusals;
    private readonly Counter<long> _overloads;
    private readonly Counter<long> _receipts;

    public UpdateMetrics(IMeterFactory factory)
    {
        _meter = factory.Create(MeterName);
        _duration = _meter.CreateHistogram("optiks.update.commit.duration", "s", "Duration of group commits, by outcome.", tags: null,
            advice: new InstrumentAdvice<double>
            {
                HistogramBucketBoundaries = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
            });
        _callers = _meter.CreateHistogram("optiks.update.commit.callers", "{caller}", "Callers whose updates were in one commit.",
            tags: null, advice: new InstrumentAdvice<int>
            {
                HistogramBucketBoundaries = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096],
            });
        _updates = _meter.CreateCounter<long>("optiks.update.updates", "{update}", "Updates in commits, by outcome of the commit.");
        _refusals = _meter.CreateCounter<long>(
            "optiks.update.refusals", "{request}", "Requests that the database's rules refused, by problem.");
        _overloads = _meter.CreateCounter<long>(
            "optiks.update.overloads", "{request}", "Requests refused because the queue was full or did not move.");
        _receipts = _meter.CreateCounter<long>("optiks.update.receipts", "{receipt}", "Requested receipts, by whether they were given.");
    }

    /// <summary>Sets the two functions that return the number of callers that wait in the queue, and the number of bytes that the queue
    /// uses.</summary>
    public void ObserveQueue(Func<int> callers, Func<long> octets)
    {
        _meter.CreateObservableGauge("optiks.update.queue.callers", callers, "{caller}", "Callers that wait for a commit to begin.");
        _meter.CreateObservableGauge(
            "optiks.update.queue.size", octets, "By", "Memory of the requests that are being read, wait for a commit or are in one.");
    }

    /// <summary>Sets the function that returns whether the rollback guard refuses all updates now.</summary>
    public void ObserveGuard(Func<bool> isHeld) =>
        _meter.CreateObservableGauge("optiks.update.held", () => isHeld() ? 1 : 0, "{hold}",
            "1 while nothing is accepted because the database is older than the board, or the board cannot be read.");

    /// <summary>Starts the trace span of a group commit, with links to the requests that wait for it; returns null if nobody listens to
    /// traces.</summary>
    public Activity? StartCommit(IReadOnlyList<QueuedUnit> group, int updates)
    {
        if (!_source.HasListeners())
        {
            return null;
        }
        // If there are many callers, the span links only to the first callers' requests.
        IEnumerable<ActivityLink> links = group.Take(MaxLinks).Where(unit => unit.Caller != default)
            .Select(unit => new ActivityLink(unit.Caller));
        return _source.StartActivity(ActivityKind.Internal, tags: [new("optiks.callers", group.Count), new("optiks.updates", updates)],
            links: links, name: "commit updates");
    }

    /// <summary>Records the result and the duration of a group commit.</summary>
    public void Committed(Activity? span, CommitState state, int callers, int updates, TimeSpan duration)
    {
        var outcome = new KeyValuePair<string, object?>("optiks.outcome", state switch
        {
            CommitState.Decided => "decided",
            CommitState.Unavailable => "unavailable",
            CommitState.OlderCopy => "older-copy",
            _ => "failed",
        });
        _duration.Record(duration.TotalSeconds, outcome);
        _callers.Record(callers, outcome);
        _updates.Add(updates, outcome);
        span?.SetTag(outcome.Key, outcome.Value).SetStatus(state == CommitState.Decided ? ActivityStatusCode.Ok : ActivityStatusCode.Error);
    }

    /// <summary>Counts a request that was refused because of the state in the database.</summary>
    public void Refused(Problem problem) => _refusals.Add(1, new KeyValuePair<string, object?>("optiks.problem", problem.Type.Name));

    /// <summary>Counts the requested receipts, and how many of them were given.</summary>
    public void Receipts(int given, int wanted)
    {
        _receipts.Add(given, new KeyValuePair<string, object?>("optiks.outcome", "given"));
        _receipts.Add(wanted - given, new KeyValuePair<string, object?>("optiks.outcome", "withheld"));
    }

    /// <summary>Counts a request that was refused because the service is overloaded.</summary>
    public void Overloaded() => _overloads.Add(1);

    public void Dispose()
    {
        _source.Dispose();
        _meter.Dispose();
    }
}
