using System.Buffers;
using System.Buffers.Binary;

namespace Optiks.Protocol;

/// <summary>
/// Encodes structures in the TLS presentation language, from beginning to end, in the form that <see cref="TlsReader"/> decodes. Only one
/// thread at a time may use a writer.
/// </summary>
internal sealed class TlsWriter
{
    private readonly ArrayBufferWriter<byte> _octets = new();

    public void Octets(ReadOnlyMemory<byte> octets) => _octets.Write(octets.Span);

    public void UInt8(byte value) => Integer(value, sizeof(byte));

    public void UInt32(uint value) => Integer(value, sizeof(uint));

    public void UInt64(ulong value) => Integer(value, sizeof(ulong));

    /// <summary>Writes a vector's length, then its contents. The parameter <paramref name="most"/> is the greatest length that the vector
    /// may have, in bytes.</summary>
    public void Vector(uint most, ReadOnlyMemory<byte> octets)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)octets.Length, most, nameof(octets));
        Integer((ulong)octets.Length, most switch { <= 0xFF => 1, <= 0xFFFF => 2, <= 0xFFFFFF => 3, _ => 4 });
        Octets(octets);
    }

    public byte[] ToArray() => _octets.WrittenSpan.ToArray();

    private void Integer(ulong value, int length)
    {
        Span<byte> all = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64BigEndian(all, value);
        _octets.Write(all[(sizeof(ulong) - length)..]);
    }
}
