using System.Buffers.Binary;

namespace Optiks.Storage;

/// <summary>Reads UUIDv7 ids (RFC 9562 section 5.7) and converts them to bytes that sort by time.</summary>
public static class RequestIds
{
    /// <summary>The length of an id in bytes.</summary>
    public const int Length = 16;

    private static readonly ulong s_lastMillisecond = (ulong)DateTimeOffset.MaxValue.ToUnixTimeMilliseconds();

    /// <summary>Returns whether the id is a UUIDv7.</summary>
    public static bool IsVersion7(Guid requestId) => requestId.Version == 7 && (requestId.Variant & 0xC) == 0x8;

    /// <summary>
    /// Returns the time in a UUIDv7. The time has 48 bits, so it can be later than the year 9999, the last year that a DateTimeOffset can
    /// represent. For such an id the result is <see cref="DateTimeOffset.MaxValue"/>, which is not the time of any other id and which no
    /// clock reaches.
    /// </summary>
    public static DateTimeOffset Time(Guid requestId)
    {
        Span<byte> octets = stackalloc byte[Length];
        Write(requestId, octets);
        ulong milliseconds = BinaryPrimitives.ReadUInt64BigEndian(octets) >> 16;
        return milliseconds <= s_lastMillisecond ? DateTimeOffset.FromUnixTimeMilliseconds((long)milliseconds) : DateTimeOffset.MaxValue;
    }

    /// <summary>Writes an id as 16 bytes in network order.</summary>
    public static void Write(Guid requestId, Span<byte> octets) => _ = requestId.TryWriteBytes(octets, bigEndian: true, out _);

    /// <summary>Reads an id from 16 bytes in network order.</summary>
    public static Guid Read(ReadOnlySpan<byte> octets) => new(octets, bigEndian: true);

    /// <summary>Writes the 16 bytes that sort before every id of the given time and after every id of any earlier time.</summary>
    public static void WriteLowerBound(DateTimeOffset time, Span<byte> octets)
    {
        octets.Clear();
        BinaryPrimitives.WriteUInt64BigEndian(octets, (ulong)Math.Max(0, time.ToUnixTimeMilliseconds()) << 16);
    }
}
