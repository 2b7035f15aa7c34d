using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>A leaf's row as it is stored, with its value's.</summary>
/// <param name="Epoch">Epoch that inserted it.</param>
/// <param name="Ordinal">Its number within the epoch.</param>
/// <param name="Structure">Structure.</param>
/// <param name="Period">Period.</param>
/// <param name="Version">Version of the key.</param>
/// <param name="Label">Label, 32 octets.</param>
/// <param name="Commitment">Commitment, 32 octets.</param>
/// <param name="Tag">Tag of the key, 16 octets.</param>
/// <param name="Origin">The request item that it came from.</param>
/// <param name="Value">Null when it was erased.</param>
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
