using System.Collections.Immutable;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Encodes and decodes what the bodies of records have in common: the form, and fields that the state has as text
/// (docs/spec/client-state.md section 3). The state has ids in base64url and hashes in hexadecimal, and records have their octets.
/// </summary>
internal static class RecordBody
{
    /// <summary>The largest number of octets in a list of structures.</summary>
    public const uint MaxList = 0xFF_FFFF;

    private const byte Form = 1;
    private const int HashLength = 32;
    private const int GuidLength = 16;

    /// <summary>Returns a body of the newest form.</summary>
    public static byte[] Encode(Action<TlsWriter> write)
    {
        var writer = new TlsWriter();
        writer.UInt8(Form);
        write(writer);
        return writer.ToArray();
    }

    /// <summary>Decodes a whole body. Throws <see cref="EncodingException"/> if the form is unknown, or octets are left.</summary>
    public static T Decode<T>(ReadOnlyMemory<byte> body, string what, TlsReader.ElementDecoder<T> decode)
    {
        var reader = new TlsReader(body);
        byte form = reader.UInt8(what);
        if (form != Form)
        {
            throw new EncodingException($"{what}: a later version of this program wrote form {form}");
        }
        T value = decode(ref reader);
        reader.End(what);
        return value;
    }

    /// <summary>Returns a body with nothing but these octets after the form: of a value, a list or a statement.</summary>
    public static byte[] EncodeOctets(byte[] octets) => [Form, .. octets];

    public static byte[] DecodeOctets(ReadOnlyMemory<byte> body, string what) =>
        Decode(body, what, (ref TlsReader reader) => reader.TakeRest().ToArray());

    public static void Bool(this TlsWriter writer, bool value) => writer.UInt8(value ? (byte)1 : (byte)0);

    public static bool ReadBool(this ref TlsReader reader, string what) => reader.UInt8(what) switch
    {
        0 => false,
        1 => true,
        _ => throw new EncodingException(Reason.MalformedEnum, what),
    };

    public static void Optional(this TlsWriter writer, ulong? value)
    {
        writer.Bool(value is not null);
        if (value is { } known)
        {
            writer.UInt64(known);
        }
    }

    public static ulong? ReadOptional(this ref TlsReader reader, string what) => reader.ReadBool(what) ? reader.UInt64(what) : null;

    /// <summary>Writes a structure that may be missing.</summary>
    public static void Optional<T>(this TlsWriter writer, T? value, Action<TlsWriter, T> write)
        where T : class
    {
        writer.Bool(value is not null);
        if (value is not null)
        {
            write(writer, value);
        }
    }

    public static T? ReadOptional<T>(this ref TlsReader reader, string what, TlsReader.ElementDecoder<T> decode)
        where T : class => reader.ReadBool(what) ? decode(ref reader) : null;

    public static void Id(this TlsWriter writer, string id) => writer.Vector(ProtocolLimits.MaxKeyLength, FromText(id));

    public static string ReadId(this ref TlsReader reader, string what) =>
        Base64UrlText.Encode(reader.Vector(1, ProtocolLimits.MaxKeyLength, what).Span);

    /// <summary>Writes a SHA-256, or an empty vector for null.</summary>
    public static void Hash(this TlsWriter writer, string? hash)
    {
        byte[] octets = hash is null ? [] : Convert.FromHexString(hash);
        writer.Vector(HashLength, octets.Length is 0 or HashLength ? octets : throw new FormatException("A SHA-256 has another length."));
    }

    public static string? ReadHash(this ref TlsReader reader, string what) =>
        reader.Vector(0, HashLength, what, HashLength) is { IsEmpty: false } hash ? Convert.ToHexStringLower(hash.Span) : null;

    public static void Guid(this TlsWriter writer, Guid value) => writer.Octets(value.ToByteArray(bigEndian: true));

    public static Guid ReadGuid(this ref TlsReader reader, string what) => new(reader.Take(GuidLength, what).Span, bigEndian: true);

    public static void List<T>(this TlsWriter writer, IEnumerable<T> elements, Action<TlsWriter, T> write)
    {
        var all = new TlsWriter();
        foreach (T element in elements)
        {
            write(all, element);
        }
        writer.Vector(MaxList, all.ToArray());
    }

    public static ImmutableArray<T> ReadList<T>(this ref TlsReader reader, string what, TlsReader.ElementDecoder<T> decode) =>
        [.. reader.Vector(0, MaxList, what, decode)];

    public static void Ids(this TlsWriter writer, IEnumerable<string> ids) => writer.List(ids, (list, id) => list.Id(id));

    public static ImmutableArray<string> ReadIds(this ref TlsReader reader, string what) =>
        reader.ReadList(what, (ref TlsReader list) => list.ReadId(what));

    /// <summary>Returns the octets of an id. Throws <see cref="FormatException"/> if the text is not base64url.</summary>
    public static byte[] FromText(string id) => Base64UrlText.TryDecode(id, out byte[]? octets)
        ? octets
        : throw new FormatException("An id is not base64url.");

    /// <summary>Returns the hash of this hexadecimal text, which has 32 octets.</summary>
    public static byte[] FromHex(string hash) => Convert.FromHexString(hash) is { Length: HashLength } octets
        ? octets
        : throw new FormatException("A SHA-256 has another length.");
}
