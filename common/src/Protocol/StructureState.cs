using System.Buffers.Binary;

namespace Optiks.Protocol;

/// <summary>Holds the state of one tree in an epoch record (docs/spec/records.md section 2).</summary>
/// <param name="Root">The root hash, 32 bytes.</param>
/// <param name="Count">The number of leaves.</param>
/// <param name="VrfPublicKey">The VRF public key, 32 bytes.</param>
public sealed record StructureState(ReadOnlyMemory<byte> Root, ulong Count, ReadOnlyMemory<byte> VrfPublicKey)
{
    /// <summary>The number of structures of a log.</summary>
    public const int StructureCount = Structures.Count;

    /// <summary>The length of one state in bytes.</summary>
    public const int Length = Lengths.StructureState;

    /// <summary>The length of all states of a record in bytes.</summary>
    public const int TotalLength = StructureCount * Length;

    /// <summary>Decodes the states of a record, which have <see cref="TotalLength"/> bytes.</summary>
    public static StructureState[] DecodeAll(ReadOnlySpan<byte> octets)
    {
        ArgumentOutOfRangeException.ThrowIfNotEqual(octets.Length, TotalLength, nameof(octets));
        var states = new StructureState[StructureCount];
        for (int i = 0; i < states.Length; i++)
        {
            ReadOnlySpan<byte> state = octets.Slice(i * Length, Length);
            states[i] = new StructureState(state[..32].ToArray(), BinaryPrimitives.ReadUInt64BigEndian(state[32..]), state[40..].ToArray());
        }
        return states;
    }

    /// <summary>Writes the state's bytes.</summary>
    public void Encode(Span<byte> octets)
    {
        ArgumentOutOfRangeException.ThrowIfNotEqual(Root.Length, 32, nameof(Root));
        ArgumentOutOfRangeException.ThrowIfNotEqual(VrfPublicKey.Length, 32, nameof(VrfPublicKey));
        Root.Span.CopyTo(octets);
        BinaryPrimitives.WriteUInt64BigEndian(octets[32..], Count);
        VrfPublicKey.Span.CopyTo(octets[40..]);
    }

    /// <summary>Returns whether both states have the same bytes.</summary>
    public bool Equals(StructureState? other) =>
        other is not null && Count == other.Count && Root.Span.SequenceEqual(other.Root.Span)
            && VrfPublicKey.Span.SequenceEqual(other.VrfPublicKey.Span);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        var hash = default(HashCode);
        hash.AddBytes(Root.Span);
        hash.Add(Count);
        return hash.ToHashCode();
    }
}
