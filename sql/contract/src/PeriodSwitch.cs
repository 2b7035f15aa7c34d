namespace Optiks.Storage;

/// <summary>What the transaction of the first epoch of a period writes beside what every epoch's does: the period that was next is current, and the one before has ended.</summary>
/// <param name="Period">The period that begins.</param>
/// <param name="Copies">How many rows of copies it begins with: exactly those that are staged.</param>
public sealed record PeriodSwitch(ulong Period, int Copies);
