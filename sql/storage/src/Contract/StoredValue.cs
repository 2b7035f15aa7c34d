namespace Optiks.Storage;

/// <summary>The parts of a leaf that an erasure deletes.</summary>
/// <param name="Opening">Opening of the commitment, 16 bytes.</param>
/// <param name="Key">The key.</param>
/// <param name="Value">The value.</param>
public sealed record StoredValue(ReadOnlyMemory<byte> Opening, ReadOnlyMemory<byte> Key, ReadOnlyMemory<byte> Value);
