using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;
using Optiks.Protocol;

namespace Optiks.Secrets;

/// <summary>
/// KeyEncryptionKey wraps secrets that are stored: AES-256-GCM with a random nonce and associated data that names the key, the log and the purpose, so that a wrapped secret opens nowhere else. Programs
/// have theirs from a <see cref="KeyRing"/>. One thread at a time; Dispose overwrites the key, or closes the token.
/// </summary>
/// <remarks>
/// Wrapped form (docs/spec/state.md section 9): format (1 octet, 2), key id (8), nonce (12), ciphertext (as long as the secret), tag (16). Associated data: <c>optiks-wrap</c>, the format, the purpose's
/// length (1 octet) and UTF-8, the log id (32), the key id (8). Format 1, which is read and not written, has no key id in either.
/// </remarks>
public sealed class KeyEncryptionKey : IDisposable
{
    /// <summary>Length of the key in octets.</summary>
    public const int Length = 32;

    internal const byte Format = 2;
    internal const int TagLength = 16;
    internal const int Overhead = 1 + KeyId.Length + NonceLength + TagLength;

    private const byte FormatWithoutId = 1;
    private const int NonceLength = 12;

    // Wrapping takes random nonces; that one of them is this one is as likely as that two are the same.
    private static readonly byte[] s_idNonce = [.. "optiks-kekid"u8];
    private static readonly byte[] s_idName = [.. "optiks kek id"u8];

    private readonly IKeyCipher _cipher;

    /// <summary>KeyEncryptionKey of a cipher, which it owns.</summary>
    /// <param name="cipher">The key, wherever it is.</param>
    /// <param name="source">Where it is from, for messages; not the key.</param>
    public KeyEncryptionKey(IKeyCipher cipher, string source)
    {
        ArgumentNullException.ThrowIfNull(cipher);
        ArgumentNullException.ThrowIfNull(source);
        _cipher = cipher;
        Source = source;
        // In a token no more can be had of a key than what it encrypts.
        byte[] encrypted = cipher.Encrypt(s_idNonce, new byte[Length], s_idName);
        Id = new KeyId(BinaryPrimitives.ReadUInt64BigEndian(SHA256.HashData([.. s_idName, .. encrypted])));
    }

    /// <summary>Id of the key.</summary>
    public KeyId Id { get; }

    /// <summary>Source that it is from.</summary>
    public string Source { get; }

    /// <summary>GenerateText makes a new key in the form that sources have it in: 43 characters of base64url. The caller overwrites it.</summary>
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

    /// <summary>FromText opens a key of 43 characters of base64url. Throws <see cref="SecretsException"/>, which holds nothing of the text.</summary>
    public static KeyEncryptionKey FromText(ReadOnlySpan<byte> text, string source)
    {
        if (!Base64UrlText.TryDecode(text, out byte[]? decoded) || decoded.Length != Length)
        {
            throw new SecretsException($"The key-encryption key from {source} is not 43 characters of base64url (32 octets).");
        }
        byte[] key = GC.AllocateUninitializedArray<byte>(Length, pinned: true);
        decoded.CopyTo(key, 0);
        CryptographicOperations.ZeroMemory(decoded);
        return new KeyEncryptionKey(new MemoryCipher(key), source);
    }

    /// <summary>Wrap encrypts a secret for a log (32 octets of log id) and a purpose of <see cref="SecretPurpose"/>.</summary>
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

    /// <summary>Unwrap decrypts into pinned memory that the caller overwrites when done. Throws <see cref="SecretsException"/> when the key, the log or the purpose is another, or the octets are damaged.</summary>
    public byte[] Unwrap(ReadOnlySpan<byte> wrapped, string purpose, ReadOnlySpan<byte> logId) =>
        TryUnwrap(wrapped, purpose, logId) ?? throw new SecretsException($"The key-encryption key {Id} from {Source} does not open the stored {purpose} of this log: put the right key back, nothing was changed.");

    /// <summary>TryUnwrap gives null for another key, log or purpose. Throws <see cref="SecretsException"/> for octets that are no wrapped secret.</summary>
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
