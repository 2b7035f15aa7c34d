using System.Security.Cryptography;

namespace Optiks.Secrets;

/// <summary>Encrypts with a key in pinned memory, which Dispose overwrites.</summary>
internal sealed class MemoryCipher : IKeyCipher
{
    private readonly byte[] _key;
    private bool _disposed;

    /// <summary>Creates a cipher with a pinned key of 32 bytes. The cipher then owns the array.</summary>
    public MemoryCipher(byte[] pinnedKey) => _key = pinnedKey;

    /// <inheritdoc/>
    public byte[] Encrypt(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> plaintext, ReadOnlySpan<byte> associatedData)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        byte[] output = new byte[plaintext.Length + KeyEncryptionKey.TagLength];
        using var aes = new AesGcm(_key, KeyEncryptionKey.TagLength);
        aes.Encrypt(nonce, plaintext, output.AsSpan(..plaintext.Length), output.AsSpan(plaintext.Length), associatedData);
        return output;
    }

    /// <inheritdoc/>
    public bool TryDecrypt(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> ciphertextAndTag, Span<byte> plaintext,
        ReadOnlySpan<byte> associatedData)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        using var aes = new AesGcm(_key, KeyEncryptionKey.TagLength);
        try
        {
            aes.Decrypt(nonce, ciphertextAndTag[..^KeyEncryptionKey.TagLength], ciphertextAndTag[^KeyEncryptionKey.TagLength..], plaintext,
                associatedData);
            return true;
        }
        catch (AuthenticationTagMismatchException)
        {
            return false;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        CryptographicOperations.ZeroMemory(_key);
        _disposed = true;
    }
}
