namespace Optiks.Storage;

/// <summary>The erasure of a leaf's value (docs/spec/erasure.md), which is written in the transaction of the epoch that decided it. The
/// leaf itself stays.</summary>
/// <param name="Epoch">The epoch that inserted the leaf; 0 if the leaf is a copy.</param>
/// <param name="Ordinal">The leaf's number within that epoch, or the copy's number within its period.</param>
/// <param name="Origin">The request item that asked for the erasure.</param>
public readonly record struct Erasure(ulong Epoch, int Ordinal, LeafOrigin Origin)
{
    /// <summary>The period that begins with the copy; null when the leaf is not a copy.</summary>
    public ulong? Period { get; init; }
}
