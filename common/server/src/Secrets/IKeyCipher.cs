namespace Optiks.Secrets;

/// <summary>
/// Encrypts and decrypts with AES-256-GCM and one key, which is in memory or in a token. A key in a token never leaves the token. Nonces
/// have 12 bytes, and tags have 16 bytes.
/// </summary>
public interface IKeyCipher : IDisposable
{
    /// <summary>Returns the ciphertext, followed by the tag. Throws <see cref="SignerUnavailableException"/> if the token with the key
    /// fails.</summary>
    byte[] Encrypt(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> plaintext, ReadOnlySpan<byte> associatedData);

    /// <summary>
    /// Decrypts a ciphertext, which its tag follows, into <paramref name="plaintext"/>. The length of <paramref name="plaintext"/> is the
    /// input's length without the tag. Returns false if ciphertext and tag do not belong to this key, nonce and associated data.
    /// </summary>
    bool TryDecrypt(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> ciphertextAndTag, Span<byte> plaintext, ReadOnlySpan<byte> associatedData);
}
