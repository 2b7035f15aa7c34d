using System.Security.Cryptography;
using Optiks.Native;

namespace Optiks.Protocol;

/// <summary>
/// Holds a key's value that commits to a note, which only the owner can read (docs/spec/user-monitor.md section 8). The owner keeps the
/// note and the opening of the commitment; the log has neither of them. Any thread may use a value.
/// </summary>
/// <param name="Payload">The payload, which is the part of the value that other people use.</param>
/// <param name="Note">The commitment to the note, 32 bytes.</param>
public readonly record struct NotedValue(ReadOnlyMemory<byte> Payload, ReadOnlyMemory<byte> Note)
{
    private const uint MaxPayloadLength = (1u << 24) - 1;
    private const int PrefixLength = 3;

    /// <summary>The number of bytes by which a value is longer than its payload.</summary>
    public const int Overhead = PrefixLength + NativeHash.Length;

    /// <summary>Makes a new opening for the commitment to one note: <see cref="Lengths.Opening"/> random bytes.</summary>
    public static byte[] NewOpening() => RandomNumberGenerator.GetBytes(Lengths.Opening);

    /// <summary>
    /// Returns the bytes of a value that commits to a note. A value that has no note has random bytes in place of the commitment, so that
    /// nobody else can tell whether there is a note.
    /// </summary>
    /// <param name="payload">The payload, which is the part of the value that other people use.</param>
    /// <param name="opening">A result of <see cref="NewOpening"/> that is used for only one note. If it has another length, the call throws
    /// <see cref="ArgumentException"/>.</param>
    /// <param name="note">The encoded note (<see cref="OwnerNote.Encode"/>).</param>
    public static byte[] Encode(ReadOnlySpan<byte> payload, ReadOnlySpan<byte> opening, ReadOnlySpan<byte> note)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)payload.Length, MaxPayloadLength, nameof(payload));
        return [(byte)(payload.Length >> 16), (byte)(payload.Length >> 8), (byte)payload.Length, .. payload, .. Commit(opening, note)];
    }

    /// <summary>Decodes a key's value; the members are slices of it. Returns false if the value is not a NotedValue.</summary>
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

    /// <summary>Returns whether the value commits to the given note with the given opening.</summary>
    public bool IsNote(ReadOnlySpan<byte> opening, ReadOnlySpan<byte> note) =>
        CryptographicOperations.FixedTimeEquals(Note.Span, Commit(opening, note));

    private static byte[] Commit(ReadOnlySpan<byte> opening, ReadOnlySpan<byte> note)
    {
        Check.Length(opening, Lengths.Opening);
        return NativeHash.Compute(HashTags.Note, [.. opening, .. note]);
    }
}
