using System.Buffers.Binary;

namespace Optiks.Protocol;

/// <summary>
/// Encodes and decodes the binary body of requests that look users up, <c>application/vnd.optiks.user-query</c> (docs/spec/rest.md section
/// 4).
/// </summary>
public static class UserQueryList
{
    private const uint MaxLength = (1u << 24) - 1;
    private const int PrefixLength = 3;

    /// <summary>
    /// Decodes the body of a request; the ids are slices of the body. Throws <see cref="EncodingException"/> if the bytes are invalid. The
    /// caller must check the rules of the queries that are not rules of the encoding.
    /// </summary>
    public static IReadOnlyList<UserQuery> Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        List<UserQuery> queries = reader.Vector(1, MaxLength, "queries", DecodeOne);
        reader.End("user query list");
        return queries;
    }

    /// <summary>Returns the body of a request with these queries.</summary>
    public static byte[] Encode(IReadOnlyCollection<UserQuery> queries)
    {
        ArgumentNullException.ThrowIfNull(queries);
        int length = queries.Sum(GetLength);
        ArgumentOutOfRangeException.ThrowIfZero(length, nameof(queries));
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)length, MaxLength, nameof(queries));
        byte[] octets = new byte[PrefixLength + length];
        Span<byte> rest = octets;
        PutLength(ref rest, length);
        foreach (UserQuery query in queries)
        {
            ArgumentOutOfRangeException.ThrowIfZero(query.Username.Length, nameof(queries));
            PutId(ref rest, query.Username.Span);
            PutId(ref rest, query.Device.Span);
            rest[0] = query.KnowsUser ? (byte)1 : (byte)0;
            rest = rest[1..];
            PutInteger(ref rest, query.Period);
            PutInteger(ref rest, query.ListVersion);
            PutLength(ref rest, query.Keys.Sum(GetLength));
            foreach (KnownDeviceKey key in query.Keys)
            {
                ArgumentOutOfRangeException.ThrowIfZero(key.Device.Length, nameof(queries));
                PutId(ref rest, key.Device.Span);
                PutInteger(ref rest, key.Version);
            }
        }
        return octets;
    }

    private static UserQuery DecodeOne(ref TlsReader reader) => new(reader.Vector(1, ProtocolLimits.MaxKeyLength, "query.username"))
    {
        Device = reader.Vector(0, ProtocolLimits.MaxKeyLength, "query.device"),
        KnowsUser = reader.UInt8("query.knows_user") switch
        {
            0 => false,
            1 => true,
            _ => throw new EncodingException(Reason.MalformedEnum, "query.knows_user")
        },
        Period = reader.UInt64("query.period"),
        ListVersion = reader.UInt64("query.devices"),
        Keys = reader.Vector(0, MaxLength, "query.keys", static (ref TlsReader element) => new KnownDeviceKey(
            element.Vector(1, ProtocolLimits.MaxKeyLength, "key.device"), element.UInt64("key.version"))),
    };

    private static int GetLength(UserQuery query) =>
        1 + query.Username.Length + 1 + query.Device.Length + 1 + 8 + 8 + PrefixLength + query.Keys.Sum(GetLength);

    private static int GetLength(KnownDeviceKey key) => 1 + key.Device.Length + 8;

    private static void PutId(ref Span<byte> rest, ReadOnlySpan<byte> id)
    {
        rest[0] = checked((byte)id.Length);
        id.CopyTo(rest[1..]);
        rest = rest[(1 + id.Length)..];
    }

    private static void PutInteger(ref Span<byte> rest, ulong value)
    {
        BinaryPrimitives.WriteUInt64BigEndian(rest, value);
        rest = rest[8..];
    }

    private static void PutLength(ref Span<byte> rest, int length)
    {
        rest[0] = (byte)(length >> 16);
        rest[1] = (byte)(length >> 8);
        rest[2] = (byte)length;
        rest = rest[PrefixLength..];
    }
}
