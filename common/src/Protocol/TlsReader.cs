using System.Buffers.Binary;

namespace Optiks.Protocol;

/// <summary>
/// Decodes structures in the TLS presentation language strictly, from beginning to end (docs/spec/encoding.md section 3). Programs use it
/// for display, and services use it to decode requests. The results are slices of the input. Every error is an
/// <see cref="EncodingException"/>.
/// </summary>
internal struct TlsReader
{
    private ReadOnlyMemory<byte> _rest;

    public TlsReader(ReadOnlyMemory<byte> octets)
    {
        _rest = octets;
    }

    public readonly bool IsEmpty => _rest.IsEmpty;

    public ReadOnlyMemory<byte> Take(int length, string what)
    {
        if (length > _rest.Length)
        {
            throw new EncodingException(Reason.MalformedTruncated, what);
        }
        ReadOnlyMemory<byte> taken = _rest[..length];
        _rest = _rest[length..];
        return taken;
    }

    /// <summary>Takes all octets that are left.</summary>
    public ReadOnlyMemory<byte> TakeRest() => Take(_rest.Length, "");

    public byte UInt8(string what) => Take(1, what).Span[0];

    public ushort UInt16(string what) => BinaryPrimitives.ReadUInt16BigEndian(Take(2, what).Span);

    public uint UInt32(string what) => BinaryPrimitives.ReadUInt32BigEndian(Take(4, what).Span);

    public ulong UInt64(string what) => BinaryPrimitives.ReadUInt64BigEndian(Take(8, what).Span);

    /// <summary>
    /// Reads a vector and returns its contents. Checks that the vector's length is within the bounds and a multiple of
    /// <paramref name="multiple"/>.
    /// </summary>
    public ReadOnlyMemory<byte> Vector(uint least, uint most, string what, uint multiple = 1)
    {
        int prefix = most switch { <= 0xFF => 1, <= 0xFFFF => 2, <= 0xFFFFFF => 3, _ => 4 };
        uint length = 0;
        foreach (byte octet in Take(prefix, what).Span)
        {
            length = (length << 8) | octet;
        }
        if (length < least || length > most || length % multiple != 0)
        {
            throw new EncodingException(Reason.MalformedLength, what);
        }
        if (length > _rest.Length)
        {
            throw new EncodingException(Reason.MalformedTruncated, what);
        }
        return Take((int)length, what);
    }

    /// <summary>Reads a vector of structures. No structure may extend beyond the vector's end.</summary>
    public List<T> Vector<T>(uint least, uint most, string what, ElementDecoder<T> decode)
    {
        var reader = new TlsReader(Vector(least, most, what));
        var elements = new List<T>();
        while (!reader.IsEmpty)
        {
            elements.Add(decode(ref reader));
        }
        return elements;
    }

    public readonly void End(string what)
    {
        if (!IsEmpty)
        {
            throw new EncodingException(Reason.MalformedTrailing, what);
        }
    }

    public delegate T ElementDecoder<T>(ref TlsReader reader);
}
