using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>The name by which trees know a leaf.</summary>
/// <param name="Epoch">Epoch that inserted the leaf; 0: it is a copy.</param>
/// <param name="Structure">The structure of the leaf.</param>
/// <param name="Label">Label, 32 bytes.</param>
public sealed record LeafName(ulong Epoch, StructureId Structure, ReadOnlyMemory<byte> Label)
{
    /// <summary>The period that begins with the copy; null when the leaf is not a copy.</summary>
    public ulong? Period { get; init; }
}
