namespace Optiks.Stress.Load;

/// <summary>
/// One second of a run. Offered and failed requests and latencies belong to the second of the intended start; completed requests belong to
/// the second in which they ended.
/// </summary>
internal sealed class Second
{
    public int Offered { get; set; }

    public int Completed { get; set; }

    /// <summary>The number of accepted updates.</summary>
    public int Updates { get; set; }

    public int Failed { get; set; }

    public int NotSent { get; set; }

    /// <summary>The number of requests that are unanswered so far.</summary>
    public long Unanswered => Offered - Latency.Count - Failed - NotSent;

    public int InFlight { get; set; }

    public Histogram Latency { get; } = new();
}
