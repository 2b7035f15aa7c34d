using System.Diagnostics.Metrics;
using Optiks.Native;
using Optiks.QueryService.Following;

namespace Optiks.QueryService.Telemetry;

/// <summary>QueryMetrics is the meter <c>Optiks.Query</c>. Any thread.</summary>
internal sealed class QueryMetrics
{
    private readonly Counter<long> _keys;
    private readonly Counter<long> _refused;
    private readonly Counter<long> _heads;

    public QueryMetrics(IMeterFactory meters, CurrentEpoch current)
    {
        Meter meter = meters.Create("Optiks.Query");
        _keys = meter.CreateCounter<long>("optiks.query.keys", "{key}", "Keys answered, by kind of request.");
        _refused = meter.CreateCounter<long>("optiks.query.epochs_refused", "{attempt}", "Attempts to follow that met an epoch which is not what its record says.");
        _heads = meter.CreateCounter<long>("optiks.query.heads", "{head}", "Heads of answers, by whether they were rendered already.");
        meter.CreateObservableGauge("optiks.query.epoch", () => Measure(current.Peek(), epoch => (long)epoch.Epoch), "{epoch}", "Epoch that is served.");
        meter.CreateObservableGauge("optiks.query.lag", () => Measure(current.Peek(), epoch => current.Age(epoch).TotalSeconds), "s", "Age of the served epoch's record.");
        meter.CreateObservableCounter("optiks.query.vrf_cache.hits", () => Stats?.VrfCacheHits is { } hits ? (long)hits : 0, "{proof}", "VRF proofs that were in the cache.");
        meter.CreateObservableCounter("optiks.query.vrf_cache.misses", () => Stats?.VrfCacheMisses is { } misses ? (long)misses : 0, "{proof}", "VRF proofs that were computed.");
        meter.CreateObservableGauge("optiks.query.leaves", () => Stats?.Leaves is { } leaves ? (long)leaves : 0, "{leaf}", "Leaves of all trees.");
        meter.CreateObservableGauge("optiks.query.tree_size", () => Stats?.TreeBytes is { } bytes ? (long)bytes : 0, "By", "Memory of the trees.");
    }

    /// <summary>Directory gives the stats of the directory; null while there is none.</summary>
    public Func<DirectoryStats?>? Directory { get; set; }

    private DirectoryStats? Stats => Directory?.Invoke();

    /// <summary>Answered counts the keys of a request that was answered.</summary>
    public void Answered(string kind, int keys) => _keys.Add(keys, new KeyValuePair<string, object?>("optiks.kind", kind));

    /// <summary>Refused counts an epoch that is not what its record says.</summary>
    public void Refused() => _refused.Add(1);

    /// <summary>Head counts a head by whether it was rendered already.</summary>
    public void Head(bool cached) => _heads.Add(1, new KeyValuePair<string, object?>("optiks.cached", cached));

    private static IEnumerable<Measurement<T>> Measure<T>(ServedEpoch? epoch, Func<ServedEpoch, T> value)
        where T : struct => epoch is null ? [] : [new Measurement<T>(value(epoch))];
}
