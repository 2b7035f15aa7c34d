namespace Optiks.Stress.Load;

/// <summary>Second is one second of a run: offered, failed and latency by the intended start, completed by the end.</summary>
internal sealed class Second
{
    public int Offered { get; set; }

    public int Completed { get; set; }

    public int Failed { get; set; }

    public int NotSent { get; set; }

    public int InFlight { get; set; }

    public Histogram Latency { get; } = new();
}
