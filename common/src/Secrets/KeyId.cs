using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Optiks.Secrets;

/// <summary>
/// KeyId tells key-encryption keys apart: 8 octets that are derived from the key and say nothing about it, in text 16 hexadecimal digits. The same key has the same id in a file and in a token. It may be logged.
/// </summary>
/// <param name="Value">The octets, big-endian.</param>
public readonly record struct KeyId(ulong Value)
{
    /// <summary>Length in octets.</summary>
    public const int Length = sizeof(ulong);

    /// <summary>
    /// TryRead gives the id that a wrapped secret names. False for one from before secrets named their key (format 1), for an empty one and for what is none.
    /// </summary>
    public static bool TryRead(ReadOnlySpan<byte> wrapped, out KeyId id)
    {
        bool names = wrapped.Length >= KeyEncryptionKey.Overhead && wrapped[0] == KeyEncryptionKey.Format;
        id = names ? new KeyId(BinaryPrimitives.ReadUInt64BigEndian(wrapped[1..])) : default;
        return names;
    }

    /// <summary>TryParse reads the text.</summary>
    public static bool TryParse([NotNullWhen(true)] string? text, out KeyId id)
    {
        bool parsed = ulong.TryParse(text, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out ulong value) && text!.Length == 2 * Length;
        id = new KeyId(value);
        return parsed;
    }

    /// <inheritdoc/>
    public override string ToString() => Value.ToString("x16", CultureInfo.InvariantCulture);
}
