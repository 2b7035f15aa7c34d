namespace Optiks.Storage;

/// <summary>The place of a leaf in the database's tables.</summary>
/// <param name="Epoch">The epoch that inserted the leaf; 0 if the leaf is a copy.</param>
/// <param name="Ordinal">The leaf's number within that epoch, or the copy's number within its period.</param>
/// <param name="HasValue">Whether the leaf's value still exists. If false, the value was erased, or destroyed with its period.</param>
public sealed record LeafPlace(ulong Epoch, int Ordinal, bool HasValue)
{
    /// <summary>The period that begins with the copy; null when the leaf is not a copy.</summary>
    public ulong? Period { get; init; }
}
