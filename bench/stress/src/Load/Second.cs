namespace Optiks.Stress.Load;

/// <summary>Second is one second of a run: offered, failed and latency by the intended start, completed by the end.</summary>
internal sealed class Second
{
    public int Offered { get; set; }

    public int Completed { get; set; }

    /// <summary>Updates that were accepted.</summary>
    public int Updates { get; set; }

    public int Failed { get; set; }

    public int NotSent { get; set; }

    /// <summary>Unanswered so far.</summary>
    public long Unanswered => Offered - Latency.Count - Failed - NotSent;

    public int InFlight { get; set; }

    public Histogram Latency { get; } = new();
}
