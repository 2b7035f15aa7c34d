using System.Diagnostics;
using System.Diagnostics.Metrics;
using Optiks.Native;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;

namespace Optiks.QueryService.Telemetry;

/// <summary>Publishes the meter and the activity source <c>Optiks.Query</c>. Thread-safe.</summary>
internal sealed class QueryMetrics : IDisposable
{
    private const string Name = "Optiks.Query";

    private readonly ActivitySource _source = new(Name);
    private readonly Histogram<double> _follow;
    private readonly Counter<long> _keys;
    private readonly Counter<long> _heads;
    private readonly Counter<long> _proofsRefused;
    private ulong _published;
    private long _refused;

    public QueryMetrics(IMeterFactory meters, CurrentEpoch current, FollowerState state, AnswerBudget budget)
    {
        Meter meter = meters.Create(Name);
        _follow = meter.CreateHistogram("optiks.query.follow.duration", "s", "Time from reading published epochs to serving them.",
            tags: null, advice: new InstrumentAdvice<double>
            {
                HistogramBucketBoundaries = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
            });
        _keys = meter.CreateCounter<long>("optiks.query.keys", "{key}", "Keys answered, by kind of request.");
        // This counter is observable, so that it reports 0 before the first refusal. Otherwise a monitoring system would not notice the
        // first refusal, because it would see no increase.
        meter.CreateObservableCounter("optiks.query.epochs_refused", () => Volatile.Read(ref _refused), "{attempt}",
            "Attempts to follow the log that met an epoch that contradicts its record.");
        _heads = meter.CreateCounter<long>("optiks.query.heads", "{head}", "Heads of answers, by whether they had been rendered before.");
        meter.CreateObservableGauge(
            "optiks.query.epoch", () => Measure(current.Peek(), epoch => (long)epoch.Epoch), "{epoch}", "The served epoch.");
        meter.CreateObservableGauge(
            "optiks.query.epochs_behind",
            () => Measure(current.Peek(), epoch => (long)(Math.Max(Volatile.Read(ref _published), epoch.Epoch) - epoch.Epoch)), "{epoch}",
            "Published epochs that are not served yet.");
        meter.CreateObservableGauge("optiks.query.lag", () => Measure(current.Peek(), epoch => current.Age(epoch).TotalSeconds), "s",
            "Age of the served epoch's record.");
        meter.CreateObservableGauge("optiks.query.max_lag", () => Measure(current.Peek(), _ => state.MaxBehind.TotalSeconds), "s",
            "How old the served epoch's record may be: the log's max_behind.");
        meter.CreateObservableCounter("optiks.query.vrf_cache.hits", () => Stats?.VrfCacheHits is { } hits ? (long)hits : 0, "{proof}",
            "VRF proofs that were in the cache.");
        meter.CreateObservableCounter("optiks.query.vrf_cache.misses", () => Stats?.VrfCacheMisses is { } misses ? (long)misses : 0,
            "{proof}", "VRF proofs that were computed.");
        meter.CreateObservableCounter("optiks.query.node_cache.hits", () => Stats?.NodeCacheHits is { } hits ? (long)hits : 0, "{page}",
            "Pages of trees that were in the cache, in stored mode.");
        meter.CreateObservableCounter("optiks.query.node_cache.misses", () => Stats?.NodeCacheMisses is { } misses ? (long)misses : 0,
            "{page}", "Pages of trees that were read from the node store.");
        _proofsRefused = meter.CreateCounter<long>(
            "optiks.query.proof_queue.refused", "{request}", "Requests refused because too many answers waited for proofs.");
        meter.CreateObservableGauge("optiks.query.proof_queue.length", () => WaitingQueries?.Invoke() ?? 0, "{query}",
            "Queries that wait for proofs that are not cached.");
        meter.CreateObservableGauge("optiks.query.answers.size", () => budget.Used, "By",
            "Memory of answers being made or sent, and of the bodies of their requests.");
        meter.CreateObservableCounter("optiks.query.answers.refused", () => budget.Refusals, "{request}",
            "Requests refused because their caller's answers in progress took too much memory.");
        meter.CreateObservableGauge(
            "optiks.query.leaves", () => Stats?.Leaves is { } leaves ? (long)leaves : 0, "{leaf}", "Leaves of all trees.");
        meter.CreateObservableGauge(
            "optiks.query.tree_size", () => Stats?.TreeBytes is { } bytes ? (long)bytes : 0, "By", "Memory of the trees.");
    }

    /// <summary>The function that returns the directory's statistics, or null while there is no directory.</summary>
    public Func<DirectoryStats?>? Directory { get; set; }

    /// <summary>The function that returns the number of queries that wait for proofs; null while there is no queue.</summary>
    public Func<int>? WaitingQueries { get; set; }

    private DirectoryStats? Stats => Directory?.Invoke();

    /// <summary>Counts the keys that an answered request asked about.</summary>
    public void Answered(string kind, int keys) => _keys.Add(keys, new KeyValuePair<string, object?>("optiks.kind", kind));

    /// <summary>Counts one refusal of an epoch that the follower tried to follow.</summary>
    public void Refused() => Interlocked.Increment(ref _refused);

    /// <summary>Records the newest epoch that the database has published.</summary>
    public void Published(ulong epoch) => Volatile.Write(ref _published, epoch);

    /// <summary>Starts the trace span in which the follower follows published epochs; returns null if nobody listens to traces.</summary>
    public Activity? StartFollow(ulong served, ulong published) => _source.HasListeners()
        ? _source.StartActivity(ActivityKind.Internal,
            tags: [new("optiks.epoch.served", (long)served), new("optiks.epoch.published", (long)published)], name: "follow epochs")
        : null;

    /// <summary>Records how long it took to follow the published epochs.</summary>
    public void Followed(TimeSpan duration) => _follow.Record(duration.TotalSeconds);

    /// <summary>Counts a request that was refused because the queue of proofs was full.</summary>
    public void ProofRefused() => _proofsRefused.Add(1);

    /// <summary>Counts the use of a head, with an attribute that says whether the head was already rendered.</summary>
    public void Head(bool cached) => _heads.Add(1, new KeyValuePair<string, object?>("optiks.cached", cached));

    public void Dispose() => _source.Dispose();

    private static IEnumerable<Measurement<T>> Measure<T>(ServedEpoch? epoch, Func<ServedEpoch, T> value)
        where T : struct => epoch is null ? [] : [new Measurement<T>(value(epoch))];
}
