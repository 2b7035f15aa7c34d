namespace Optiks.Stress.Load;

/// <summary>The figures of one operation of the mix over the measured time.</summary>
internal sealed class KindTotals
{
    /// <summary>The latency of answered requests, from the intended start.</summary>
    public Histogram Latency { get; } = new();

    public long Answered { get; set; }

    public long Items { get; set; }

    public long Octets { get; set; }

    /// <summary>
    /// The number of requests that were not sent, because the bound on requests in flight held them back longer than allowed.
    /// </summary>
    public long NotSent { get; set; }

    public SortedDictionary<string, long> Errors { get; } = new(StringComparer.Ordinal);

    public long Failed => Errors.Values.Sum();
}
