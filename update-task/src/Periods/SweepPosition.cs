namespace Optiks.UpdateTask.Periods;

/// <summary>SweepPosition is how far the sources of copies were gone through.</summary>
/// <param name="Copy">Number of the first copy of the current period that was not; those come first.</param>
/// <param name="Epoch">Epoch of the first leaf that was not.</param>
/// <param name="Ordinal">The leaf's number within it.</param>
internal readonly record struct SweepPosition(int Copy, ulong Epoch, int Ordinal);
