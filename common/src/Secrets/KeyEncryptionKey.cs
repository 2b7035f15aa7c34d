using System.Security.Cryptography;
using System.Text;
using Optiks.Protocol;

namespace Optiks.Secrets;

/// <summary>
/// KeyEncryptionKey wraps every secret that is stored: AES-256-GCM with a random nonce and associated data that names the log and the
/// purpose, so that a wrapped key opens nowhere else. Any thread; Dispose overwrites the key.
/// </summary>
/// <remarks>
/// Wrapped form: format (1 octet, 1), nonce (12), ciphertext (as long as the secret), tag (16). Associated data: <c>optiks-wrap</c>, the
/// format, the purpose's length (1 octet) and UTF-8, the log id (32).
/// </remarks>
public sealed class KeyEncryptionKey : IDisposable
{
    /// <summary>Variable that may hold the key as 43 characters of base64url.</summary>
    public const string Variable = "OPTIKS_KEK";

    /// <summary>Credential that may hold it, in the same form (<see cref="ServiceCredential"/>).</summary>
    public const string Credential = "optiks.kek";

    /// <summary>Length of the key in octets.</summary>
    public const int Length = 32;

    private const byte Format = 1;
    private const int NonceLength = 12;
    private const int TagLength = 16;
    private const int Overhead = 1 + NonceLength + TagLength;

    private readonly byte[] _key;
    private readonly string _source;
    private bool _disposed;

    private KeyEncryptionKey(byte[] pinnedKey, string source)
    {
        _key = pinnedKey;
        _source = source;
    }

    /// <summary>Load takes the key from <see cref="Variable"/> when it is set, from the <see cref="Credential"/> when that was handed over, otherwise from the data folder's file. Throws <see cref="SecretsException"/>; never makes a key.</summary>
    public static KeyEncryptionKey Load(DataFolder folder)
    {
        ArgumentNullException.ThrowIfNull(folder);
        return Load(folder, Environment.GetEnvironmentVariable);
    }

    /// <summary>LoadOrCreate is Load for a fresh data folder: when neither variable, credential nor file is there, a new key is written to the file.</summary>
    public static KeyEncryptionKey LoadOrCreate(DataFolder folder)
    {
        ArgumentNullException.ThrowIfNull(folder);
        bool isGiven = !string.IsNullOrEmpty(Environment.GetEnvironmentVariable(Variable)) || ServiceCredential.PathOf(Credential, Environment.GetEnvironmentVariable) is not null;
        if (!isGiven && !File.Exists(folder.KeyEncryptionKey))
        {
            byte[] key = RandomNumberGenerator.GetBytes(Length);
            byte[] text = Encoding.ASCII.GetBytes(Base64UrlText.Encode(key) + "\n");
            AtomicFile.TryCreate(folder.KeyEncryptionKey, text, AtomicFile.PrivateMode);
            CryptographicOperations.ZeroMemory(key);
            CryptographicOperations.ZeroMemory(text);
        }
        return Load(folder);
    }

    /// <summary>Wrap encrypts a secret for a log (32 octets of log id) and a purpose of <see cref="SecretPurpose"/>.</summary>
    public byte[] Wrap(ReadOnlySpan<byte> secret, string purpose, ReadOnlySpan<byte> logId)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        byte[] wrapped = new byte[secret.Length + Overhead];
        wrapped[0] = Format;
        Span<byte> nonce = wrapped.AsSpan(1, NonceLength);
        RandomNumberGenerator.Fill(nonce);
        using var aes = new AesGcm(_key, TagLength);
        aes.Encrypt(nonce, secret, wrapped.AsSpan(1 + NonceLength, secret.Length), wrapped.AsSpan(^TagLength..), AssociatedData(purpose, logId));
        return wrapped;
    }

    /// <summary>Unwrap decrypts into pinned memory that the caller overwrites when done. Throws <see cref="SecretsException"/> when the key, the log or the purpose is another, or the octets are damaged.</summary>
    public byte[] Unwrap(ReadOnlySpan<byte> wrapped, string purpose, ReadOnlySpan<byte> logId)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (wrapped.Length < Overhead || wrapped[0] != Format)
        {
            throw new SecretsException($"The stored {purpose} is damaged or from a newer version: restore it from a backup.");
        }
        byte[] secret = GC.AllocateUninitializedArray<byte>(wrapped.Length - Overhead, pinned: true);
        using var aes = new AesGcm(_key, TagLength);
        try
        {
            aes.Decrypt(wrapped.Slice(1, NonceLength), wrapped[(1 + NonceLength)..^TagLength], wrapped[^TagLength..], secret, AssociatedData(purpose, logId));
        }
        catch (AuthenticationTagMismatchException e)
        {
            throw new SecretsException($"The key-encryption key from {_source} does not open the stored {purpose} of this log: put the right key back, nothing was changed.", e);
        }
        return secret;
    }

    /// <inheritdoc/>
    public override string ToString() => $"key-encryption key from {_source}";

    /// <inheritdoc/>
    public void Dispose()
    {
        CryptographicOperations.ZeroMemory(_key);
        _disposed = true;
    }

    internal static KeyEncryptionKey Load(DataFolder folder, Func<string, string?> environment)
    {
        if (environment(Variable) is { Length: > 0 } text)
        {
            return Parse(Encoding.UTF8.GetBytes(text), $"the variable {Variable}");
        }
        string path = ServiceCredential.PathOf(Credential, environment) ?? folder.KeyEncryptionKey;
        byte[] octets = SecretFile.Read(path, environment);
        try
        {
            ReadOnlySpan<byte> line = octets;
            return Parse(line.EndsWith("\n"u8) ? line[..^1] : line, path);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(octets);
        }
    }

    private static KeyEncryptionKey Parse(ReadOnlySpan<byte> text, string source)
    {
        if (!Base64UrlText.TryDecode(text, out byte[]? decoded) || decoded.Length != Length)
        {
            throw new SecretsException($"The key-encryption key from {source} is not 43 characters of base64url (32 octets).");
        }
        byte[] key = GC.AllocateUninitializedArray<byte>(Length, pinned: true);
        decoded.CopyTo(key, 0);
        CryptographicOperations.ZeroMemory(decoded);
        return new KeyEncryptionKey(key, source);
    }

    private static byte[] AssociatedData(string purpose, ReadOnlySpan<byte> logId)
    {
        ArgumentOutOfRangeException.ThrowIfNotEqual(logId.Length, 32, nameof(logId));
        byte[] name = Encoding.UTF8.GetBytes(purpose);
        return [.. "optiks-wrap"u8, Format, checked((byte)name.Length), .. name, .. logId];
    }
}
