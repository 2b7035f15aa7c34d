using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>The fields that identify a leaf in the trees.</summary>
/// <param name="Epoch">The epoch that inserted the leaf; 0 if the leaf is a copy.</param>
/// <param name="Structure">The structure of the leaf.</param>
/// <param name="Label">Label, 32 bytes.</param>
public sealed record LeafName(ulong Epoch, StructureId Structure, ReadOnlyMemory<byte> Label)
{
    /// <summary>The period that begins with the copy; null when the leaf is not a copy.</summary>
    public ulong? Period { get; init; }
}
