using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Optiks.Tlog;

/// <summary>Holds the public part of a note key: a name, a signature type and an Ed25519 public key. Immutable.</summary>
public sealed class VerifierKey : IEquatable<VerifierKey>
{
    /// <summary>The length of an Ed25519 public key in bytes.</summary>
    public const int PublicKeyLength = 32;

    private readonly byte[] _publicKey;

    /// <summary>Makes a verifier key and copies the public key. Throws <see cref="ArgumentException"/> if the name or the type is invalid,
    /// or if the public key does not have 32 bytes.</summary>
    public VerifierKey(string name, SignatureType type, ReadOnlySpan<byte> publicKey)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (!StrictText.IsKeyName(name))
        {
            throw new ArgumentException("A key name must not be empty or contain a space or '+'.", nameof(name));
        }
        if (type is not (SignatureType.Ed25519 or SignatureType.CosignatureV1))
        {
            throw new ArgumentOutOfRangeException(nameof(type), type, "Only types 0x01 and 0x04 are supported.");
        }
        if (publicKey.Length != PublicKeyLength)
        {
            throw new ArgumentException("An Ed25519 public key has 32 bytes.", nameof(publicKey));
        }
        Name = name;
        Type = type;
        _publicKey = publicKey.ToArray();
        KeyId = ComputeKeyId(name, type, publicKey);
    }

    /// <summary>The key's name in signature lines. The name of a log's key is also the origin of the log's checkpoints.</summary>
    public string Name { get; }

    /// <summary>The type of the signatures that this key makes.</summary>
    public SignatureType Type { get; }

    /// <summary>The key ID: the first four bytes, big-endian, of SHA-256(name || 0x0A || type || key).</summary>
    public uint KeyId { get; }

    /// <summary>The 32-byte Ed25519 key.</summary>
    public ReadOnlySpan<byte> PublicKey => _publicKey;

    /// <summary>Returns the key ID, which is a hash of name, type and public key (C2SP signed-note).</summary>
    public static uint ComputeKeyId(string name, SignatureType type, ReadOnlySpan<byte> publicKey)
    {
        ArgumentNullException.ThrowIfNull(name);
        byte[] input = [.. Encoding.UTF8.GetBytes(name), StrictText.Newline, (byte)type, .. publicKey];
        return BinaryPrimitives.ReadUInt32BigEndian(SHA256.HashData(input));
    }

    /// <summary>
    /// Parses the text form of a key, the vkey. It consists of the name, '+', eight lower-case hexadecimal digits, '+', and the base64 of
    /// type byte and public key.
    /// </summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out VerifierKey? key, out TlogError error)
    {
        ArgumentNullException.ThrowIfNull(text);
        key = null;
        error = TlogError.MalformedKey;

        // The base64 part may contain '+', so only the first two '+' separate the parts.
        string[] parts = text.Split('+', 3);
        if (parts.Length != 3 || !StrictText.IsKeyName(parts[0]) || !TryParseKeyId(parts[1], out uint keyId)
            || !StrictText.TryDecodeBase64(Encoding.UTF8.GetBytes(parts[2]), out byte[] typed) || typed.Length == 0)
        {
            return false;
        }
        var type = (SignatureType)typed[0];
        if (type is not (SignatureType.Ed25519 or SignatureType.CosignatureV1))
        {
            error = TlogError.UnsupportedKeyType;
            return false;
        }
        if (typed.Length != 1 + PublicKeyLength)
        {
            return false;
        }
        var parsed = new VerifierKey(parts[0], type, typed.AsSpan(1));
        if (parsed.KeyId != keyId)
        {
            error = TlogError.KeyIdMismatch;
            return false;
        }
        key = parsed;
        error = TlogError.None;
        return true;
    }

    /// <summary>Returns the key's text form, the vkey.</summary>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{Name}+{KeyId:x8}+{Convert.ToBase64String([(byte)Type, .. _publicKey])}");

    /// <inheritdoc/>
    public bool Equals(VerifierKey? other) =>
        other is not null && Type == other.Type && string.Equals(Name, other.Name, StringComparison.Ordinal)
            && _publicKey.AsSpan().SequenceEqual(other._publicKey);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as VerifierKey);

    /// <inheritdoc/>
    public override int GetHashCode() => (int)KeyId;

    // Accepts only lower-case digits, because key IDs are written in lower case. golang.org/x/mod also accepts upper case.
    private static bool TryParseKeyId(string hex, out uint keyId)
    {
        keyId = 0;
        return hex.Length == 8 && hex.All(char.IsAsciiHexDigitLower)
            && uint.TryParse(hex, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out keyId);
    }
}
