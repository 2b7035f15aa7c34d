using System.Buffers;
using System.Buffers.Text;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Optiks.Protocol;

/// <summary>Encodes and decodes base64url without padding (RFC 4648 section 5). Decoding is strict, so that each byte string has exactly
/// one text.</summary>
public static class Base64UrlText
{
    private static readonly SearchValues<byte> s_alphabet = SearchValues.Create(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"u8);

    /// <summary>Returns the base64url text of bytes.</summary>
    public static string Encode(ReadOnlySpan<byte> octets) => Base64Url.EncodeToString(octets);

    /// <summary>Decodes a text in ASCII. Refuses padding, white space, other characters, and unused bits that are not zero.</summary>
    public static bool TryDecode(ReadOnlySpan<byte> text, [NotNullWhen(true)] out byte[]? octets)
    {
        octets = null;
        // A single character after the last group of four cannot encode a byte.
        if (text.Length % 4 == 1 || text.ContainsAnyExcept(s_alphabet))
        {
            return false;
        }
        byte[] decoded = new byte[Base64Url.GetMaxDecodedLength(text.Length)];
        if (Base64Url.DecodeFromUtf8(text, decoded, out int consumed, out int written) != OperationStatus.Done || consumed != text.Length)
        {
            return false;
        }
        Array.Resize(ref decoded, written);
        // .NET's decoder may ignore unused bits in the last group of characters. The group is therefore encoded again, which gives the same
        // characters only if the unused bits are zero.
        int tail = text.Length % 4;
        if (tail != 0)
        {
            Span<byte> again = stackalloc byte[4];
            int encoded = Base64Url.EncodeToUtf8(decoded.AsSpan(written - (tail - 1)), again);
            if (!again[..encoded].SequenceEqual(text[^tail..]))
            {
                return false;
            }
        }
        octets = decoded;
        return true;
    }

    /// <summary>Decodes a text as the other overload does.</summary>
    public static bool TryDecode(string text, [NotNullWhen(true)] out byte[]? octets)
    {
        ArgumentNullException.ThrowIfNull(text);
        return TryDecode(Encoding.UTF8.GetBytes(text), out octets);
    }
}
