namespace Optiks.Storage;

/// <summary>What may be erased of a leaf.</summary>
/// <param name="Opening">Opening of the commitment, 16 octets.</param>
/// <param name="Key">The key.</param>
/// <param name="Value">The value.</param>
public sealed record StoredValue(ReadOnlyMemory<byte> Opening, ReadOnlyMemory<byte> Key, ReadOnlyMemory<byte> Value);
