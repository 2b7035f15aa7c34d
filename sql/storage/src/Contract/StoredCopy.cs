using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>A copy's row as it is stored, together with its value's row.</summary>
/// <param name="Period">The period that begins with the copy.</param>
/// <param name="Number">The copy's number within the period.</param>
/// <param name="Structure">The structure of the copied key.</param>
/// <param name="Source">The source of the copy.</param>
/// <param name="Label">Label, 32 bytes.</param>
/// <param name="Commitment">Commitment, 32 bytes; zeros if the row removes the key's earlier copy.</param>
/// <param name="Tag">Tag of the key in the period, 16 bytes.</param>
/// <param name="Value">The value; null if it was erased or destroyed, or if the row removes the key's earlier copy.</param>
public sealed record StoredCopy(
    ulong Period,
    int Number,
    StructureId Structure,
    CopySource Source,
    ReadOnlyMemory<byte> Label,
    ReadOnlyMemory<byte> Commitment,
    ReadOnlyMemory<byte> Tag,
    StoredValue? Value);
