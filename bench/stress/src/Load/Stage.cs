namespace Optiks.Stress.Load;

/// <summary>Holds the figures of a stage of a run. The rate of requests is constant in a stage, and a run without a ramp has one
/// stage.</summary>
/// <param name="Rate">The number of requests offered per second.</param>
/// <param name="Start">The start of the stage, in seconds on the run's clock.</param>
/// <param name="End">The end of the stage, in seconds on the run's clock.</param>
/// <param name="Answered">The number of correctly answered requests per second.</param>
/// <param name="P99">The 99th percentile of the latency, in seconds.</param>
/// <param name="BadShare">The share of offered requests that failed or were not sent.</param>
/// <param name="Saturated">Whether the stage exceeded one of the ramp's limits on latency and errors.</param>
internal sealed record Stage(double Rate, double Start, double End, double Answered, double P99, double BadShare, bool Saturated);
