using System.Buffers;
using System.Buffers.Text;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Optiks.Protocol;

/// <summary>Base64UrlText is base64url without padding (RFC 4648 section 5), read strictly: one text for each octet string.</summary>
public static class Base64UrlText
{
    private static readonly SearchValues<byte> s_alphabet = SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"u8);

    /// <summary>Encode gives the text of octets.</summary>
    public static string Encode(ReadOnlySpan<byte> octets) => Base64Url.EncodeToString(octets);

    /// <summary>TryDecode refuses padding, white space, other characters, and unused bits that are not zero.</summary>
    public static bool TryDecode(ReadOnlySpan<byte> text, [NotNullWhen(true)] out byte[]? octets)
    {
        octets = null;
        // One character more than a multiple of four cannot hold an octet.
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
        // .NET's decoder may overlook unused bits; the last group encodes back to itself only when they are zero.
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

    /// <summary>TryDecode of a string.</summary>
    public static bool TryDecode(string text, [NotNullWhen(true)] out byte[]? octets)
    {
        ArgumentNullException.ThrowIfNull(text);
        return TryDecode(Encoding.UTF8.GetBytes(text), out octets);
    }
}
