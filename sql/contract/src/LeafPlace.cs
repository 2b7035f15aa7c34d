namespace Optiks.Storage;

/// <summary>Where tables have a leaf.</summary>
/// <param name="Epoch">Epoch that inserted it; 0: it is a copy.</param>
/// <param name="Ordinal">Its number within that epoch, or the copy's within its period.</param>
/// <param name="HasValue">False: its value was erased, or destroyed with its period.</param>
public sealed record LeafPlace(ulong Epoch, int Ordinal, bool HasValue)
{
    /// <summary>Period that begins with the copy; null: the leaf is none.</summary>
    public ulong? Period { get; init; }
}
