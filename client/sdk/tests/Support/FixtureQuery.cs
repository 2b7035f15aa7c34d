using System.Buffers.Binary;

namespace Optiks.Client.Tests;

/// <summary>
/// An element of a QueryList (docs/spec/rest.md section 4). Its parser is independent of the client's code that writes the list.
/// </summary>
internal sealed record FixtureQuery(byte[] Key, ulong Period, ulong Version)
{
    public static IReadOnlyList<FixtureQuery> ReadList(ReadOnlySpan<byte> body)
    {
        int length = (body[0] << 16) | (body[1] << 8) | body[2];
        if (length != body.Length - 3)
        {
            throw new InvalidDataException("The query list's length is wrong.");
        }
        ReadOnlySpan<byte> rest = body[3..];
        var queries = new List<FixtureQuery>();
        while (!rest.IsEmpty)
        {
            byte[] key = rest.Slice(1, rest[0]).ToArray();
            rest = rest[(1 + key.Length)..];
            queries.Add(new FixtureQuery(key, BinaryPrimitives.ReadUInt64BigEndian(rest), BinaryPrimitives.ReadUInt64BigEndian(rest[8..])));
            rest = rest[16..];
        }
        return queries;
    }
}
