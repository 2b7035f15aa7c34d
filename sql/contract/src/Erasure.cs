namespace Optiks.Storage;

/// <summary>Erasure of the value of a leaf (docs/spec/erasure.md), written with the epoch that decided it. The leaf itself stays.</summary>
/// <param name="Epoch">Epoch that inserted the leaf; 0: the leaf is a copy.</param>
/// <param name="Ordinal">The leaf's number within that epoch, or the copy's within its period.</param>
/// <param name="Origin">The request item that asked for it.</param>
public readonly record struct Erasure(ulong Epoch, int Ordinal, LeafOrigin Origin)
{
    /// <summary>Period that begins with the copy; null: the leaf is none.</summary>
    public ulong? Period { get; init; }
}
