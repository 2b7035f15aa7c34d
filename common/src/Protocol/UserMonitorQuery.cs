using System.Buffers.Binary;

namespace Optiks.Protocol;

/// <summary>
/// Holds the body of an owner's request about its own user, <c>application/vnd.optiks.user-monitor-query</c> (docs/spec/rest.md section 4).
/// </summary>
/// <param name="User">The user id, 1 to <see cref="ProtocolLimits.MaxKeyLength"/> bytes.</param>
public sealed record UserMonitorQuery(ReadOnlyMemory<byte> User)
{
    private const uint MaxKeysLength = (1u << 24) - 1;

    /// <summary>
    /// The usernames that the answer must prove to lead to the user, 1 to <see cref="ProtocolLimits.MaxKeyLength"/> bytes each.
    /// </summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> Usernames { get; init; } = [];

    /// <summary>The period of the versions that the client knows; 0 if it knows no versions.</summary>
    public ulong Period { get; init; }

    /// <summary>The first requested version of the device list, 1 or more.</summary>
    public ulong From { get; init; } = 1;

    /// <summary>
    /// The named device ids, in <see cref="DeviceList.Order"/> without duplicates. With each id comes the first requested version of the
    /// device's key, 1 or more.
    /// </summary>
    public IReadOnlyList<KnownDeviceKey> Keys { get; init; } = [];

    /// <summary>
    /// Decodes the body of a request; the ids are slices of the body. Throws <see cref="EncodingException"/> if the bytes are invalid. The
    /// caller must check the rules of the query that are not rules of the encoding.
    /// </summary>
    public static UserMonitorQuery Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        var query = new UserMonitorQuery(reader.Vector(1, ProtocolLimits.MaxKeyLength, "query.user"))
        {
            Usernames = reader.Vector(0, ushort.MaxValue, "query.usernames",
                static (ref TlsReader element) => element.Vector(1, ProtocolLimits.MaxKeyLength, "username")),
            Period = reader.UInt64("query.period"),
            From = reader.UInt64("query.from"),
            Keys = reader.Vector(0, MaxKeysLength, "query.keys", static (ref TlsReader element) => new KnownDeviceKey(
                element.Vector(1, ProtocolLimits.MaxKeyLength, "key.device"), element.UInt64("key.from"))),
        };
        reader.End("user monitor query");
        return query;
    }

    /// <summary>Returns the body of a request with this query.</summary>
    public byte[] Encode()
    {
        int names = Usernames.Sum(name => 1 + name.Length);
        int keys = Keys.Sum(key => 1 + key.Device.Length + sizeof(ulong));
        byte[] octets = new byte[1 + User.Length + sizeof(ushort) + names + sizeof(ulong) + sizeof(ulong) + 3 + keys];
        Span<byte> rest = octets;
        Put(ref rest, User.Span);
        BinaryPrimitives.WriteUInt16BigEndian(rest, checked((ushort)names));
        rest = rest[sizeof(ushort)..];
        foreach (ReadOnlyMemory<byte> name in Usernames)
        {
            Put(ref rest, name.Span);
        }
        Put(ref rest, Period);
        Put(ref rest, From);
        rest[0] = checked((byte)(keys >> 16));
        BinaryPrimitives.WriteUInt16BigEndian(rest[1..], (ushort)keys);
        rest = rest[3..];
        foreach (KnownDeviceKey key in Keys)
        {
            Put(ref rest, key.Device.Span);
            Put(ref rest, key.Version);
        }
        return octets;
    }

    private static void Put(ref Span<byte> rest, ReadOnlySpan<byte> id)
    {
        ArgumentOutOfRangeException.ThrowIfZero(id.Length, nameof(id));
        rest[0] = checked((byte)id.Length);
        id.CopyTo(rest[1..]);
        rest = rest[(1 + id.Length)..];
    }

    private static void Put(ref Span<byte> rest, ulong value)
    {
        BinaryPrimitives.WriteUInt64BigEndian(rest, value);
        rest = rest[sizeof(ulong)..];
    }
}
