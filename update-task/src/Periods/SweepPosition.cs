namespace Optiks.UpdateTask.Periods;

/// <summary>Says how far the sources of copies have been read.</summary>
/// <param name="Copy">The number of the first unread copy of the current period; copies are read before leaves.</param>
/// <param name="Epoch">The epoch of the first unread leaf.</param>
/// <param name="Ordinal">The number of the first unread leaf within its epoch.</param>
internal readonly record struct SweepPosition(int Copy, ulong Epoch, int Ordinal);
