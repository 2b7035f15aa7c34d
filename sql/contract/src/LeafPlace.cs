namespace Optiks.Storage;

/// <summary>The place of a leaf in the tables.</summary>
/// <param name="Epoch">Epoch that inserted the leaf; 0: it is a copy.</param>
/// <param name="Ordinal">Its number within that epoch, or the copy's within its period.</param>
/// <param name="HasValue">Whether the value still exists: it was neither erased nor destroyed with its period.</param>
public sealed record LeafPlace(ulong Epoch, int Ordinal, bool HasValue)
{
    /// <summary>The period that begins with the copy; null when the leaf is not a copy.</summary>
    public ulong? Period { get; init; }
}
