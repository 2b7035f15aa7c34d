using System.Security.Cryptography;
using Optiks.Native;

namespace Optiks.Protocol;

/// <summary>
/// NotedValue is a value of a key with a commitment to a note that the owner alone can read (docs/spec/user-monitor.md section 8). The owner keeps note and opening;
/// the log has neither. Stateless, any thread.
/// </summary>
/// <param name="Payload">What others use.</param>
/// <param name="Note">The commitment, 32 octets.</param>
public readonly record struct NotedValue(ReadOnlyMemory<byte> Payload, ReadOnlyMemory<byte> Note)
{
    private const uint MaxPayloadLength = (1u << 24) - 1;
    private const int PrefixLength = 3;

    /// <summary>Overhead is by how many octets a value is longer than its payload.</summary>
    public const int Overhead = PrefixLength + NativeHash.Length;

    /// <summary>NewOpening makes the random octets that go with one note: <see cref="Lengths.Opening"/> of them.</summary>
    public static byte[] NewOpening() => RandomNumberGenerator.GetBytes(Lengths.Opening);

    /// <summary>Encode gives the octets of a value that commits to a note. A value without a note has one of random octets, so that others cannot tell.</summary>
    /// <param name="payload">What others use.</param>
    /// <param name="opening"><see cref="NewOpening"/>, once for each note; otherwise <see cref="ArgumentException"/>.</param>
    /// <param name="note">The note: <see cref="OwnerNote.Encode"/>.</param>
    public static byte[] Encode(ReadOnlySpan<byte> payload, ReadOnlySpan<byte> opening, ReadOnlySpan<byte> note)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)payload.Length, MaxPayloadLength, nameof(payload));
        return [(byte)(payload.Length >> 16), (byte)(payload.Length >> 8), (byte)payload.Length, .. payload, .. Commit(opening, note)];
    }

    /// <summary>TryDecode reads a value: slices of it. False for what is no NotedValue.</summary>
    public static bool TryDecode(ReadOnlyMemory<byte> value, out NotedValue noted)
    {
        noted = default;
        if (value.Length < Overhead)
        {
            return false;
        }
        ReadOnlySpan<byte> prefix = value.Span[..PrefixLength];
        int length = (prefix[0] << 16) | (prefix[1] << 8) | prefix[2];
        if (value.Length != Overhead + length)
        {
            return false;
        }
        noted = new NotedValue(value.Slice(PrefixLength, length), value[(PrefixLength + length)..]);
        return true;
    }

    /// <summary>IsNote says whether this is the note that the value commits to.</summary>
    public bool IsNote(ReadOnlySpan<byte> opening, ReadOnlySpan<byte> note) => CryptographicOperations.FixedTimeEquals(Note.Span, Commit(opening, note));

    private static byte[] Commit(ReadOnlySpan<byte> opening, ReadOnlySpan<byte> note)
    {
        Check.Length(opening, Lengths.Opening);
        return NativeHash.Compute(HashTags.Note, [.. opening, .. note]);
    }
}
