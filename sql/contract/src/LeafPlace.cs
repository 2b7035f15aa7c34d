namespace Optiks.Storage;

/// <summary>LeafPlace is where tables have a leaf.</summary>
/// <param name="Epoch">Epoch that inserted it.</param>
/// <param name="Ordinal">Its number within that epoch.</param>
/// <param name="HasValue">False: its value was erased.</param>
public sealed record LeafPlace(ulong Epoch, int Ordinal, bool HasValue);
