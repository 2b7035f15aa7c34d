using System.Buffers.Binary;

namespace Optiks.Protocol;

/// <summary>
/// OwnerNote is what an owner notes of a change, and what the hash of a <see cref="NotedValue"/> is over (docs/spec/user-monitor.md section 8). Only the owner has it.
/// Stateless, any thread.
/// </summary>
/// <param name="Sequence">Number of the change among the noted ones of its key, from 1, over all periods.</param>
/// <param name="Text">The owner's words: at most <see cref="MaxTextLength"/> octets.</param>
public readonly record struct OwnerNote(ulong Sequence, ReadOnlyMemory<byte> Text)
{
    /// <summary>MaxTextLength of a note, in octets.</summary>
    public const int MaxTextLength = ushort.MaxValue;

    private const int PrefixLength = sizeof(ulong) + sizeof(ushort);

    /// <summary>Encode gives the octets that a value commits to. A note without a number, or with too long a text, is an <see cref="ArgumentOutOfRangeException"/>.</summary>
    public byte[] Encode()
    {
        ArgumentOutOfRangeException.ThrowIfZero(Sequence);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Text.Length, MaxTextLength);
        byte[] octets = new byte[PrefixLength + Text.Length];
        BinaryPrimitives.WriteUInt64BigEndian(octets, Sequence);
        BinaryPrimitives.WriteUInt16BigEndian(octets.AsSpan(sizeof(ulong)), (ushort)Text.Length);
        Text.Span.CopyTo(octets.AsSpan(PrefixLength));
        return octets;
    }

    /// <summary>TryDecode reads a whole note: a slice of it. False for what is no OwnerNote.</summary>
    public static bool TryDecode(ReadOnlyMemory<byte> octets, out OwnerNote note)
    {
        note = default;
        if (octets.Length < PrefixLength || BinaryPrimitives.ReadUInt16BigEndian(octets.Span[sizeof(ulong)..]) != octets.Length - PrefixLength)
        {
            return false;
        }
        note = new OwnerNote(BinaryPrimitives.ReadUInt64BigEndian(octets.Span), octets[PrefixLength..]);
        return note.Sequence > 0;
    }
}
