namespace Optiks.Storage;

/// <summary>
/// The additional writes of the transaction of a period's first epoch: the next period becomes current, and the previous period ends.
/// </summary>
/// <param name="Period">The period that begins.</param>
/// <param name="Copies">How many rows of copies the period begins with: exactly those that are staged.</param>
public sealed record PeriodSwitch(ulong Period, int Copies);
