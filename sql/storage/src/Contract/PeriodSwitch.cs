namespace Optiks.Storage;

/// <summary>
/// Describes what the transaction of a period's first epoch writes in addition: the next period becomes the current one, and the previous
/// period ends.
/// </summary>
/// <param name="Period">The period that begins.</param>
/// <param name="Copies">The number of rows of copies with which the period begins, which must be the number of staged rows.</param>
public sealed record PeriodSwitch(ulong Period, int Copies);
