namespace Optiks.Storage;

/// <summary>Erasure of the value of a leaf (docs/spec/erasure.md), written with the epoch that decided it. The leaf itself stays.</summary>
/// <param name="Epoch">Epoch that inserted the leaf.</param>
/// <param name="Ordinal">The leaf's number within that epoch.</param>
/// <param name="Origin">The request item that asked for it.</param>
public readonly record struct Erasure(ulong Epoch, int Ordinal, LeafOrigin Origin);
