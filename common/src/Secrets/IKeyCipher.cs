namespace Optiks.Secrets;

/// <summary>
/// Encrypts and decrypts with AES-256-GCM, with one key, which is in memory or in a token. A key in a token never leaves it. Nonces have 12
/// bytes, tags have 16 bytes.
/// </summary>
public interface IKeyCipher : IDisposable
{
    /// <summary>Returns ciphertext and tag. Throws <see cref="SignerUnavailableException"/> if a token fails.</summary>
    byte[] Encrypt(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> plaintext, ReadOnlySpan<byte> associatedData);

    /// <summary>
    /// Decrypts ciphertext and tag into <paramref name="plaintext"/>, which is shorter by the tag's length. Returns false if ciphertext and
    /// tag do not belong to this key, nonce and associated data.
    /// </summary>
    bool TryDecrypt(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> ciphertextAndTag, Span<byte> plaintext, ReadOnlySpan<byte> associatedData);
}
