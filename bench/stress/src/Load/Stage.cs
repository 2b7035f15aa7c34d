namespace Optiks.Stress.Load;

/// <summary>A stage of a run: one rate for a while. A run without a ramp has one stage.</summary>
/// <param name="Rate">Requests offered per second.</param>
/// <param name="Start">Seconds on the run's clock.</param>
/// <param name="End">Seconds on the run's clock.</param>
/// <param name="Answered">Requests per second whose answer was as it should be.</param>
/// <param name="P99">Seconds.</param>
/// <param name="BadShare">The share of offered requests that failed or were not sent.</param>
/// <param name="Saturated">Beyond a bound of the ramp.</param>
internal sealed record Stage(double Rate, double Start, double End, double Answered, double P99, double BadShare, bool Saturated);
