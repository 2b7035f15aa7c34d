using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>A leaf's row as it is stored, together with its value's row.</summary>
/// <param name="Epoch">Epoch that inserted the leaf.</param>
/// <param name="Ordinal">The leaf's number within the epoch.</param>
/// <param name="Structure">The structure of the leaf.</param>
/// <param name="Period">The period of the leaf.</param>
/// <param name="Version">Version of the key.</param>
/// <param name="Label">Label, 32 bytes.</param>
/// <param name="Commitment">Commitment, 32 bytes.</param>
/// <param name="Tag">Tag of the key, 16 bytes.</param>
/// <param name="Origin">The request item that the leaf came from.</param>
/// <param name="Value">The value; null when it was erased.</param>
public sealed record StoredLeaf(
    ulong Epoch,
    int Ordinal,
    StructureId Structure,
    ulong Period,
    ulong Version,
    ReadOnlyMemory<byte> Label,
    ReadOnlyMemory<byte> Commitment,
    ReadOnlyMemory<byte> Tag,
    LeafOrigin Origin,
    StoredValue? Value);
