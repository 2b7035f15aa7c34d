using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;
using Optiks.Protocol;

namespace Optiks.Secrets;

/// <summary>
/// Wraps secrets for storage: AES-256-GCM with a random nonce. The associated data name the key, the log and the purpose, so that a wrapped
/// secret cannot be opened with another key, or for another log or purpose. Programs get their keys from a <see cref="KeyRing"/>. One
/// thread at a time; Dispose overwrites the key, or closes the token.
/// </summary>
/// <remarks>
/// Wrapped form (docs/spec/wrapping.md section 2): format (1 byte, 2), key id (8), nonce (12), ciphertext (as long as the secret), tag
/// (16). Associated data: <c>optiks-wrap</c>, the format, the purpose's length (1 byte) and UTF-8, the log id (32), the key id (8). Format
/// 1, which is read but not written, has no key id, neither in the wrapped form nor in the associated data.
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

    // The nonce with which the key's id is computed. It is safe to reuse the key with it: the random nonces of wrapping equal this nonce
    // only as rarely as they equal each other.
    private static readonly byte[] s_idNonce = [.. "optiks-kekid"u8];
    private static readonly byte[] s_idName = [.. "optiks kek id"u8];

    private readonly IKeyCipher _cipher;

    /// <summary>Takes ownership of a cipher.</summary>
    /// <param name="cipher">The cipher with the key.</param>
    /// <param name="source">The origin of the key, for messages; not the key itself.</param>
    public KeyEncryptionKey(IKeyCipher cipher, string source)
    {
        ArgumentNullException.ThrowIfNull(cipher);
        ArgumentNullException.ThrowIfNull(source);
        _cipher = cipher;
        Source = source;
        // A token reveals nothing about a key except its ciphertexts, so the id is derived from a ciphertext.
        byte[] encrypted = cipher.Encrypt(s_idNonce, new byte[Length], s_idName);
        Id = new KeyId(BinaryPrimitives.ReadUInt64BigEndian(SHA256.HashData([.. s_idName, .. encrypted])));
    }

    /// <summary>The id of the key.</summary>
    public KeyId Id { get; }

    /// <summary>The origin of the key.</summary>
    public string Source { get; }

    /// <summary>Makes a new key in the text form of sources: 43 characters of base64url. The caller overwrites the result.</summary>
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
    /// Opens a key of 43 characters of base64url. Throws <see cref="SecretsException"/>, which contains no part of the text.
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

    /// <summary>Encrypts a secret for a log (32 bytes of log id) and a purpose of <see cref="SecretPurpose"/>.</summary>
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
    /// Decrypts into pinned memory, which the caller overwrites after use. Throws <see cref="SecretsException"/> if the key, the log or the
    /// purpose is wrong, or the bytes are damaged.
    /// </summary>
    public byte[] Unwrap(ReadOnlySpan<byte> wrapped, string purpose, ReadOnlySpan<byte> logId) =>
        TryUnwrap(wrapped, purpose, logId) ?? throw new SecretsException($"The key-encryption key {Id} from {Source} does not open the stored {purpose} of this log: put the right key back. Nothing was changed.");

    /// <summary>
    /// Decrypts; returns null if the key, the log or the purpose is wrong. Throws <see cref="SecretsException"/> if the bytes are not a
    /// wrapped secret.
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
        return _cipher.TryDecrypt(wrapped[(start - NonceLength)..start], wrapped[start..], secret, AssociatedData(purpose, logId, names ? id : null)) ? secret : null;
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
