namespace Optiks.Stress.Load;

/// <summary>A stage of a run, with one rate of requests. A run without a ramp has one stage.</summary>
/// <param name="Rate">Number of requests offered per second.</param>
/// <param name="Start">Start of the stage, in seconds on the run's clock.</param>
/// <param name="End">End of the stage, in seconds on the run's clock.</param>
/// <param name="Answered">Number of correctly answered requests per second.</param>
/// <param name="P99">The 99th percentile of the latency, in seconds.</param>
/// <param name="BadShare">The share of offered requests that failed or were not sent.</param>
/// <param name="Saturated">Whether the stage exceeded a bound of the ramp.</param>
internal sealed record Stage(double Rate, double Start, double End, double Answered, double P99, double BadShare, bool Saturated);
