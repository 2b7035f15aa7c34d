using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Optiks.Secrets;

/// <summary>
/// Identifies a key-encryption key by 8 bytes, which are derived from the key and reveal nothing about it. The text form is 16 hexadecimal
/// digits. A key has the same id in a file and in a token. The id may be logged.
/// </summary>
/// <param name="Value">The bytes, big-endian.</param>
public readonly record struct KeyId(ulong Value)
{
    /// <summary>The length of an id in bytes.</summary>
    public const int Length = sizeof(ulong);

    /// <summary>
    /// Reads the key id in a wrapped secret. Returns false if the secret is in format 1, which has no key id, or if it is empty or invalid.
    /// </summary>
    public static bool TryRead(ReadOnlySpan<byte> wrapped, out KeyId id)
    {
        bool names = wrapped.Length >= KeyEncryptionKey.Overhead && wrapped[0] == KeyEncryptionKey.Format;
        id = names ? new KeyId(BinaryPrimitives.ReadUInt64BigEndian(wrapped[1..])) : default;
        return names;
    }

    /// <summary>Parses an id from its text.</summary>
    public static bool TryParse([NotNullWhen(true)] string? text, out KeyId id)
    {
        bool parsed = ulong.TryParse(text, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out ulong value)
            && text!.Length == 2 * Length;
        id = new KeyId(value);
        return parsed;
    }

    /// <inheritdoc/>
    public override string ToString() => Value.ToString("x16", CultureInfo.InvariantCulture);
}
