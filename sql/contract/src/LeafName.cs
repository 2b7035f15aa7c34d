using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>LeafName is how trees name a leaf.</summary>
/// <param name="Epoch">Epoch that inserted it.</param>
/// <param name="Structure">Structure.</param>
/// <param name="Label">Label, 32 octets.</param>
public sealed record LeafName(ulong Epoch, StructureId Structure, ReadOnlyMemory<byte> Label);
