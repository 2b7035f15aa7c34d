namespace Optiks.Stress.Load;

/// <summary>Holds the figures of one operation of the mix over the measured time.</summary>
internal sealed class KindTotals
{
    /// <summary>The latencies of answered requests, counted from each request's intended start.</summary>
    public Histogram Latency { get; } = new();

    public long Answered { get; set; }

    public long Items { get; set; }

    public long Octets { get; set; }

    /// <summary>
    /// The number of requests that were not sent, because they had to wait too long while the maximum number of requests was in flight.
    /// </summary>
    public long NotSent { get; set; }

    public SortedDictionary<string, long> Errors { get; } = new(StringComparer.Ordinal);

    public long Failed => Errors.Values.Sum();
}
