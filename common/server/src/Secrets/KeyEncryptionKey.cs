using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;
using Optiks.Protocol;

namespace Optiks.Secrets;

/// <summary>
/// Wraps secrets for storage with AES-256-GCM and a random nonce. The associated data name the key, the log and the purpose, so that a
/// wrapped secret cannot be opened with another key, or for another log or purpose. Programs get these keys from a <see cref="KeyRing"/>.
/// Only one thread at a time may use a key. Dispose overwrites the key in memory, or closes the token that holds the key.
/// </summary>
/// <remarks>
/// The wrapped form (docs/spec/wrapping.md section 2) consists of the format number (1 byte, value 2), the key id (8 bytes), the nonce (12
/// bytes), the ciphertext (as long as the secret) and the tag (16 bytes). The associated data consist of <c>optiks-wrap</c>, the format
/// number, the length of the purpose (1 byte), the purpose in UTF-8, the log id (32 bytes) and the key id (8 bytes). Format 1, which is
/// read but no longer written, has no key id, neither in the wrapped form nor in the associated data.
/// </remarks>
public sealed class KeyEncryptionKey : IDisposable
{
    /// <summary>The length of the key in bytes.</summary>
    public const int Length = 32;

    internal const byte Format = 2;
    internal const int TagLength = 16;
    internal const int Overhead = 1 + KeyId.Length + NonceLength + TagLength;

    private const byte FormatWithoutId = 1;
    private const int NonceLength = 12;

    // The fixed nonce with which the key's id is computed. Wrapping uses random nonces with the same key. That is safe, because a random
    // nonce equals this nonce as rarely as it equals another random nonce.
    private static readonly byte[] s_idNonce = [.. "optiks-kekid"u8];
    private static readonly byte[] s_idName = [.. "optiks kek id"u8];

    private readonly IKeyCipher _cipher;

    /// <summary>Makes a key from a cipher, which this object then owns.</summary>
    /// <param name="cipher">The cipher that encrypts with the key.</param>
    /// <param name="source">The origin of the key, which messages name; never the key itself.</param>
    public KeyEncryptionKey(IKeyCipher cipher, string source)
    {
        ArgumentNullException.ThrowIfNull(cipher);
        ArgumentNullException.ThrowIfNull(source);
        _cipher = cipher;
        Source = source;
        // A token does not reveal a key, only what the key encrypts to. The id is therefore derived from a ciphertext.
        byte[] encrypted = cipher.Encrypt(s_idNonce, new byte[Length], s_idName);
        Id = new KeyId(BinaryPrimitives.ReadUInt64BigEndian(SHA256.HashData([.. s_idName, .. encrypted])));
    }

    /// <summary>The id of the key.</summary>
    public KeyId Id { get; }

    /// <summary>The origin of the key.</summary>
    public string Source { get; }

    /// <summary>Makes a new key and returns its text, 43 characters of base64url. The caller overwrites the text after use.</summary>
    public static byte[] GenerateText()
    {
        byte[] key = RandomNumberGenerator.GetBytes(Length);
        try
        {
            return Encoding.ASCII.GetBytes(Base64UrlText.Encode(key));
        }
        finally
        {
            CryptographicOperations.ZeroMemory(key);
        }
    }

    /// <summary>
    /// Makes a key from its text, 43 characters of base64url. If the text is invalid, throws <see cref="SecretsException"/>, which contains
    /// no part of the text.
    /// </summary>
    public static KeyEncryptionKey FromText(ReadOnlySpan<byte> text, string source)
    {
        if (!Base64UrlText.TryDecode(text, out byte[]? decoded) || decoded.Length != Length)
        {
            throw new SecretsException($"The key-encryption key from {source} is not 43 characters of base64url (32 bytes).");
        }
        byte[] key = GC.AllocateUninitializedArray<byte>(Length, pinned: true);
        decoded.CopyTo(key, 0);
        CryptographicOperations.ZeroMemory(decoded);
        return new KeyEncryptionKey(new MemoryCipher(key), source);
    }

    /// <summary>Encrypts a secret for one log and one purpose of <see cref="SecretPurpose"/>; <paramref name="logId"/> has 32
    /// bytes.</summary>
    public byte[] Wrap(ReadOnlySpan<byte> secret, string purpose, ReadOnlySpan<byte> logId)
    {
        byte[] wrapped = new byte[secret.Length + Overhead];
        wrapped[0] = Format;
        BinaryPrimitives.WriteUInt64BigEndian(wrapped.AsSpan(1), Id.Value);
        Span<byte> nonce = wrapped.AsSpan(1 + KeyId.Length, NonceLength);
        RandomNumberGenerator.Fill(nonce);
        _cipher.Encrypt(nonce, secret, AssociatedData(purpose, logId, Id)).CopyTo(wrapped.AsSpan(1 + KeyId.Length + NonceLength));
        return wrapped;
    }

    /// <summary>
    /// Decrypts a wrapped secret into pinned memory, which the caller overwrites after use. Throws <see cref="SecretsException"/> if the
    /// key, the log or the purpose is wrong, or if the bytes are damaged.
    /// </summary>
    public byte[] Unwrap(ReadOnlySpan<byte> wrapped, string purpose, ReadOnlySpan<byte> logId) =>
        TryUnwrap(wrapped, purpose, logId)
            ?? throw new SecretsException(
                $"The key-encryption key {Id} from {Source} does not open the stored {purpose} of this log: put the right key back. Nothing was changed.");

    /// <summary>
    /// Decrypts a wrapped secret; returns null if the key, the log or the purpose is wrong. Throws <see cref="SecretsException"/> if the
    /// bytes are not a wrapped secret.
    /// </summary>
    internal byte[]? TryUnwrap(ReadOnlySpan<byte> wrapped, string purpose, ReadOnlySpan<byte> logId)
    {
        bool names = KeyId.TryRead(wrapped, out KeyId id);
        int start = 1 + NonceLength + (names ? KeyId.Length : 0);
        if (!names && (wrapped.Length < start + TagLength || wrapped[0] != FormatWithoutId))
        {
            throw new SecretsException($"The stored {purpose} is damaged or from a newer version: restore it from a backup.");
        }
        if (names && id != Id)
        {
            return null;
        }
        byte[] secret = GC.AllocateUninitializedArray<byte>(wrapped.Length - start - TagLength, pinned: true);
        return _cipher.TryDecrypt(wrapped[(start - NonceLength)..start], wrapped[start..], secret,
            AssociatedData(purpose, logId, names ? id : null)) ? secret : null;
    }

    /// <inheritdoc/>
    public override string ToString() => $"key-encryption key {Id} from {Source}";

    /// <inheritdoc/>
    public void Dispose() => _cipher.Dispose();

    private static byte[] AssociatedData(string purpose, ReadOnlySpan<byte> logId, KeyId? id)
    {
        ArgumentOutOfRangeException.ThrowIfNotEqual(logId.Length, 32, nameof(logId));
        byte[] name = Encoding.UTF8.GetBytes(purpose);
        byte[] common = [.. "optiks-wrap"u8, id is null ? FormatWithoutId : Format, checked((byte)name.Length), .. name, .. logId];
        if (id is not { } key)
        {
            return common;
        }
        Array.Resize(ref common, common.Length + KeyId.Length);
        BinaryPrimitives.WriteUInt64BigEndian(common.AsSpan(^KeyId.Length), key.Value);
        return common;
    }
}
