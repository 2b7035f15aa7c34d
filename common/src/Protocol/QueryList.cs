using System.Buffers.Binary;

namespace Optiks.Protocol;

/// <summary>
/// Encodes and decodes the binary body of lookup, history and monitor requests, <c>application/vnd.optiks.query</c> (docs/spec/rest.md
/// section 4).
/// </summary>
public static class QueryList
{
    private const uint MaxLength = (1u << 24) - 1;
    private const int PrefixLength = 3;

    /// <summary>Decodes the body of a request; the returned keys are slices of the body. Throws <see cref="EncodingException"/> if the
    /// bytes are invalid.</summary>
    public static IReadOnlyList<Query> Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        List<Query> queries = reader.Vector(1, MaxLength, "queries", (ref TlsReader element) => new Query(
            element.Vector(1, ProtocolLimits.MaxKeyLength, "query.key"), element.UInt64("query.period"), element.UInt64("query.version")));
        reader.End("query list");
        return queries;
    }

    /// <summary>Returns the body of a request with these queries.</summary>
    public static byte[] Encode(IReadOnlyCollection<Query> queries)
    {
        ArgumentNullException.ThrowIfNull(queries);
        int length = queries.Sum(query => 1 + query.Key.Length + 16);
        ArgumentOutOfRangeException.ThrowIfZero(length, nameof(queries));
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)length, MaxLength, nameof(queries));
        byte[] octets = new byte[PrefixLength + length];
        octets[0] = (byte)(length >> 16);
        octets[1] = (byte)(length >> 8);
        octets[2] = (byte)length;
        Span<byte> rest = octets.AsSpan(PrefixLength);
        foreach (Query query in queries)
        {
            ArgumentOutOfRangeException.ThrowIfZero(query.Key.Length, nameof(queries));
            rest[0] = checked((byte)query.Key.Length);
            query.Key.Span.CopyTo(rest[1..]);
            rest = rest[(1 + query.Key.Length)..];
            BinaryPrimitives.WriteUInt64BigEndian(rest, query.Period);
            BinaryPrimitives.WriteUInt64BigEndian(rest[8..], query.Version);
            rest = rest[16..];
        }
        return octets;
    }
}
