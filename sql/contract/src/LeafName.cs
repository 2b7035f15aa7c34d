using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>How trees name a leaf.</summary>
/// <param name="Epoch">Epoch that inserted it; 0: it is a copy.</param>
/// <param name="Structure">Structure.</param>
/// <param name="Label">Label, 32 octets.</param>
public sealed record LeafName(ulong Epoch, StructureId Structure, ReadOnlyMemory<byte> Label)
{
    /// <summary>Period that begins with the copy; null: the leaf is none.</summary>
    public ulong? Period { get; init; }
}
