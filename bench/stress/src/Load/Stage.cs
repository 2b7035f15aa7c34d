namespace Optiks.Stress.Load;

/// <summary>Stage of a run: one rate for a while. A run without a ramp has one.</summary>
/// <param name="Rate">Offered, a second.</param>
/// <param name="Start">Seconds on the run's clock.</param>
/// <param name="End">Seconds on the run's clock.</param>
/// <param name="Answered">Requests a second that were answered as they should.</param>
/// <param name="P99">Seconds.</param>
/// <param name="BadShare">Failed and unsent of those offered.</param>
/// <param name="Saturated">Beyond a bound of the ramp.</param>
internal sealed record Stage(double Rate, double Start, double End, double Answered, double P99, double BadShare, bool Saturated);
