namespace Optiks.Stress.Load;

/// <summary>
/// Holds the figures of one second of a run. Offered requests, failed requests and latencies count in the second of the request's intended
/// start. Completed requests count in the second in which they ended.
/// </summary>
internal sealed class Second
{
    public int Offered { get; set; }

    public int Completed { get; set; }

    /// <summary>The number of accepted updates.</summary>
    public int Updates { get; set; }

    public int Failed { get; set; }

    public int NotSent { get; set; }

    /// <summary>The number of requests of this second that have no answer so far.</summary>
    public long Unanswered => Offered - Latency.Count - Failed - NotSent;

    public int InFlight { get; set; }

    public Histogram Latency { get; } = new();
}
