using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>A copy's row as it is stored, together with its value's row.</summary>
/// <param name="Period">The period that begins with the copy.</param>
/// <param name="Number">The copy's number within the period.</param>
/// <param name="Structure">The structure of the copied key.</param>
/// <param name="Source">The source of the copy.</param>
/// <param name="Label">Label, 32 bytes.</param>
/// <param name="Commitment">Commitment, 32 bytes; zeros when the row takes the key out.</param>
/// <param name="Tag">Tag of the key in the period, 16 bytes.</param>
/// <param name="Value">The value; null when it was erased or destroyed, or when the row takes the key out.</param>
public sealed record StoredCopy(
    ulong Period,
    int Number,
    StructureId Structure,
    CopySource Source,
    ReadOnlyMemory<byte> Label,
    ReadOnlyMemory<byte> Commitment,
    ReadOnlyMemory<byte> Tag,
    StoredValue? Value);
