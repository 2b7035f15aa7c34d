namespace Optiks.UpdateTask.Periods;

/// <summary>Holds the position up to which a sweep has read the current period's copies and leaves.</summary>
/// <param name="Copy">The number of the first unread copy of the current period; all copies are read before any leaf.</param>
/// <param name="Epoch">The epoch of the first unread leaf.</param>
/// <param name="Ordinal">The ordinal of the first unread leaf within its epoch.</param>
internal readonly record struct SweepPosition(int Copy, ulong Epoch, int Ordinal);
