using System.Buffers;
using System.Buffers.Binary;

namespace Optiks.Storage;

/// <summary>Writes integers and byte strings as the fields of a file's records; integers are big-endian. Not thread-safe.</summary>
public sealed class OctetWriter
{
    private readonly ArrayBufferWriter<byte> _octets;

    /// <summary>Creates a writer with initial room for the given number of bytes (<paramref name="capacity"/>).</summary>
    public OctetWriter(int capacity) => _octets = new ArrayBufferWriter<byte>(capacity);

    /// <summary>The bytes written so far; valid until the next write.</summary>
    public ReadOnlyMemory<byte> Written => _octets.WrittenMemory;

    /// <summary>Discards the written bytes but keeps the allocated memory.</summary>
    public void Clear() => _octets.ResetWrittenCount();

    public void Octets(ReadOnlySpan<byte> octets) => _octets.Write(octets);

    public void U8(byte value) => Take(sizeof(byte))[0] = value;

    public void U16(ushort value) => BinaryPrimitives.WriteUInt16BigEndian(Take(sizeof(ushort)), value);

    public void U32(uint value) => BinaryPrimitives.WriteUInt32BigEndian(Take(sizeof(uint)), value);

    public void U64(ulong value) => BinaryPrimitives.WriteUInt64BigEndian(Take(sizeof(ulong)), value);

    public void RequestId(Guid id) => RequestIds.Write(id, Take(RequestIds.Length));

    private Span<byte> Take(int length)
    {
        Span<byte> taken = _octets.GetSpan(length)[..length];
        _octets.Advance(length);
        return taken;
    }
}
