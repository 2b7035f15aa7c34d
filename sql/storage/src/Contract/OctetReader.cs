using System.Buffers.Binary;

namespace Optiks.Storage;

/// <summary>
/// Reads from front to back the fields that an <see cref="OctetWriter"/> wrote. The byte strings that it returns are slices of the input.
/// Throws <see cref="StorageCorruptException"/> when the input ends too early.
/// </summary>
public struct OctetReader
{
    private readonly string _cutShort;
    private ReadOnlyMemory<byte> _rest;

    /// <summary>Creates a reader of the given bytes. If they end too early, the exception has the message
    /// <paramref name="cutShort"/>.</summary>
    public OctetReader(ReadOnlyMemory<byte> octets, string cutShort)
    {
        _rest = octets;
        _cutShort = cutShort;
    }

    /// <summary>Whether the reader has read all bytes.</summary>
    public readonly bool IsEmpty => _rest.IsEmpty;

    public ReadOnlyMemory<byte> Octets(long length)
    {
        if (length > _rest.Length)
        {
            throw new StorageCorruptException(_cutShort);
        }
        ReadOnlyMemory<byte> taken = _rest[..(int)length];
        _rest = _rest[(int)length..];
        return taken;
    }

    /// <summary>
    /// Reads the count of a list whose elements have at least <paramref name="leastLength"/> bytes each. Refuses a count whose elements
    /// cannot fit in the rest of the input, so that callers do not allocate memory for them.
    /// </summary>
    public int Count(int leastLength)
    {
        uint count = U32();
        return count <= _rest.Length / leastLength ? (int)count : throw new StorageCorruptException(_cutShort);
    }

    public byte U8() => Octets(sizeof(byte)).Span[0];

    public ushort U16() => BinaryPrimitives.ReadUInt16BigEndian(Octets(sizeof(ushort)).Span);

    public uint U32() => BinaryPrimitives.ReadUInt32BigEndian(Octets(sizeof(uint)).Span);

    public ulong U64() => BinaryPrimitives.ReadUInt64BigEndian(Octets(sizeof(ulong)).Span);

    public Guid RequestId() => RequestIds.Read(Octets(RequestIds.Length).Span);
}
