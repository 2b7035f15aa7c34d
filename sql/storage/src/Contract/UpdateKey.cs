using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>A key of a structure, compared by its bytes.</summary>
/// <param name="Structure">The structure of the key.</param>
/// <param name="Key">The key's bytes, which must not change while this object is in use.</param>
public readonly record struct UpdateKey(StructureId Structure, ReadOnlyMemory<byte> Key)
{
    /// <inheritdoc/>
    public bool Equals(UpdateKey other) => Structure == other.Structure && Key.Span.SequenceEqual(other.Key.Span);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        var hash = new HashCode();
        hash.Add(Structure);
        hash.AddBytes(Key.Span);
        return hash.ToHashCode();
    }
}
