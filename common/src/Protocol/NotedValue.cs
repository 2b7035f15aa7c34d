using System.Security.Cryptography;
using Optiks.Native;

namespace Optiks.Protocol;

/// <summary>
/// Holds a key's value that commits to a note that only the owner can read (docs/spec/user-monitor.md section 8). The owner keeps note and
/// opening; the log has neither. Stateless, any thread.
/// </summary>
/// <param name="Payload">The part of the value that others use.</param>
/// <param name="Note">The commitment, 32 bytes.</param>
public readonly record struct NotedValue(ReadOnlyMemory<byte> Payload, ReadOnlyMemory<byte> Note)
{
    private const uint MaxPayloadLength = (1u << 24) - 1;
    private const int PrefixLength = 3;

    /// <summary>The number of bytes by which a value is longer than its payload.</summary>
    public const int Overhead = PrefixLength + NativeHash.Length;

    /// <summary>Makes the <see cref="Lengths.Opening"/> random bytes that open the commitment to one note.</summary>
    public static byte[] NewOpening() => RandomNumberGenerator.GetBytes(Lengths.Opening);

    /// <summary>
    /// Returns the bytes of a value that commits to a note. A value without a note has random bytes in place of the commitment, so that
    /// others cannot tell the difference.
    /// </summary>
    /// <param name="payload">The part of the value that others use.</param>
    /// <param name="opening">The result of <see cref="NewOpening"/>, used once for each note; another length throws
    /// <see cref="ArgumentException"/>.</param>
    /// <param name="note">The encoded note (<see cref="OwnerNote.Encode"/>).</param>
    public static byte[] Encode(ReadOnlySpan<byte> payload, ReadOnlySpan<byte> opening, ReadOnlySpan<byte> note)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)payload.Length, MaxPayloadLength, nameof(payload));
        return [(byte)(payload.Length >> 16), (byte)(payload.Length >> 8), (byte)payload.Length, .. payload, .. Commit(opening, note)];
    }

    /// <summary>Decodes a value into slices of it. Returns false if the value is not a NotedValue.</summary>
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

    /// <summary>Returns whether <paramref name="note"/> is the note that the value commits to.</summary>
    public bool IsNote(ReadOnlySpan<byte> opening, ReadOnlySpan<byte> note) => CryptographicOperations.FixedTimeEquals(Note.Span, Commit(opening, note));

    private static byte[] Commit(ReadOnlySpan<byte> opening, ReadOnlySpan<byte> note)
    {
        Check.Length(opening, Lengths.Opening);
        return NativeHash.Compute(HashTags.Note, [.. opening, .. note]);
    }
}
