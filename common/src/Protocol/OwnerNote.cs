using System.Buffers.Binary;

namespace Optiks.Protocol;

/// <summary>
/// Holds an owner's note about a change, which a <see cref="NotedValue"/> commits to (docs/spec/user-monitor.md section 8). Only the owner
/// has the note. Any thread may use a note.
/// </summary>
/// <param name="Sequence">The number of the change among the noted changes of its key, counted from 1 over all periods.</param>
/// <param name="Text">The text that the owner wrote, at most <see cref="MaxTextLength"/> bytes.</param>
public readonly record struct OwnerNote(ulong Sequence, ReadOnlyMemory<byte> Text)
{
    /// <summary>The length of the longest allowed text in bytes.</summary>
    public const int MaxTextLength = ushort.MaxValue;

    private const int PrefixLength = sizeof(ulong) + sizeof(ushort);

    /// <summary>
    /// Returns the bytes of the note, to which a value commits. Throws <see cref="ArgumentOutOfRangeException"/> if the sequence is 0 or
    /// the text is too long.
    /// </summary>
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

    /// <summary>Decodes bytes that are one note; the text is a slice of the input. Returns false if the bytes are not an
    /// OwnerNote.</summary>
    public static bool TryDecode(ReadOnlyMemory<byte> octets, out OwnerNote note)
    {
        note = default;
        if (octets.Length < PrefixLength
            || BinaryPrimitives.ReadUInt16BigEndian(octets.Span[sizeof(ulong)..]) != octets.Length - PrefixLength)
        {
            return false;
        }
        note = new OwnerNote(BinaryPrimitives.ReadUInt64BigEndian(octets.Span), octets[PrefixLength..]);
        return note.Sequence > 0;
    }
}
