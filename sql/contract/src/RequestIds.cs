using System.Buffers.Binary;

namespace Optiks.Storage;

/// <summary>RequestIds read UUIDv7 (RFC 9562 section 5.7) and put them into octets that sort by time.</summary>
public static class RequestIds
{
    /// <summary>Length in octets.</summary>
    public const int Length = 16;

    private static readonly ulong s_lastMillisecond = (ulong)DateTimeOffset.MaxValue.ToUnixTimeMilliseconds();

    /// <summary>Says whether the id is a UUIDv7.</summary>
    public static bool IsVersion7(Guid requestId) => requestId.Version == 7 && (requestId.Variant & 0xC) == 0x8;

    /// <summary>
    /// Time that a UUIDv7 carries. Its 48 bits reach beyond the year 9999, the last that a DateTimeOffset has: such an id has <see cref="DateTimeOffset.MaxValue"/>, which no other id has and
    /// no clock reaches.
    /// </summary>
    public static DateTimeOffset Time(Guid requestId)
    {
        Span<byte> octets = stackalloc byte[Length];
        Write(requestId, octets);
        ulong milliseconds = BinaryPrimitives.ReadUInt64BigEndian(octets) >> 16;
        return milliseconds <= s_lastMillisecond ? DateTimeOffset.FromUnixTimeMilliseconds((long)milliseconds) : DateTimeOffset.MaxValue;
    }

    /// <summary>Puts an id into 16 octets in network order.</summary>
    public static void Write(Guid requestId, Span<byte> octets) => _ = requestId.TryWriteBytes(octets, bigEndian: true, out _);

    /// <summary>Takes an id from 16 octets in network order.</summary>
    public static Guid Read(ReadOnlySpan<byte> octets) => new(octets, bigEndian: true);

    /// <summary>Writes the 16 octets that sort before every id of a time and after every id of an earlier one.</summary>
    public static void WriteLowerBound(DateTimeOffset time, Span<byte> octets)
    {
        octets.Clear();
        BinaryPrimitives.WriteUInt64BigEndian(octets, (ulong)Math.Max(0, time.ToUnixTimeMilliseconds()) << 16);
    }
}
