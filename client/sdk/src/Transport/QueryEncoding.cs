using System.Buffers.Binary;

namespace Optiks.Client;

/// <summary>QueryEncoding writes QueryList (docs/spec/rest.md section 4).</summary>
internal static class QueryEncoding
{
    private const int VectorPrefixLength = 3;
    private const int NumbersLength = 16;

    /// <summary>One query for each key with its period and version.</summary>
    public static byte[] Encode(IReadOnlyList<ReadOnlyMemory<byte>> keys, ReadOnlySpan<KeyVersionNumber> numbers)
    {
        int length = 0;
        foreach (ReadOnlyMemory<byte> key in keys)
        {
            length += 1 + key.Length + NumbersLength;
        }
        byte[] body = new byte[VectorPrefixLength + length];
        Span<byte> rest = body;
        rest[0] = (byte)(length >> 16);
        BinaryPrimitives.WriteUInt16BigEndian(rest[1..], (ushort)length);
        rest = rest[VectorPrefixLength..];
        for (int i = 0; i < keys.Count; i++)
        {
            rest[0] = checked((byte)keys[i].Length);
            keys[i].Span.CopyTo(rest[1..]);
            rest = rest[(1 + keys[i].Length)..];
            BinaryPrimitives.WriteUInt64BigEndian(rest, numbers[i].Period);
            BinaryPrimitives.WriteUInt64BigEndian(rest[8..], numbers[i].Version);
            rest = rest[NumbersLength..];
        }
        return body;
    }
}
