using System.Buffers.Binary;

namespace Optiks.Storage;

/// <summary>Reads the fields that an <see cref="OctetWriter"/> wrote, front to back. Octets are slices of the input. Throws <see cref="StorageCorruptException"/>.</summary>
public struct OctetReader
{
    private readonly string _cutShort;
    private ReadOnlyMemory<byte> _rest;

    /// <summary>OctetReader of octets, of which <paramref name="cutShort"/> says to people that they end too early.</summary>
    public OctetReader(ReadOnlyMemory<byte> octets, string cutShort)
    {
        _rest = octets;
        _cutShort = cutShort;
    }

    /// <summary>IsEmpty: all was read.</summary>
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

    /// <summary>A number of elements of which each has at least so many octets: nothing is allocated for those that cannot be there.</summary>
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
