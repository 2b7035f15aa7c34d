namespace Optiks.Secrets;

/// <summary>IKeyCipher is AES-256-GCM by one key, in memory or in a token that it never leaves. Nonces have 12 octets, tags 16.</summary>
public interface IKeyCipher : IDisposable
{
    /// <summary>Encrypt gives ciphertext and tag. Throws <see cref="SignerUnavailableException"/> for a token that fails.</summary>
    byte[] Encrypt(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> plaintext, ReadOnlySpan<byte> associatedData);

    /// <summary>TryDecrypt decrypts ciphertext and tag into <paramref name="plaintext"/>, which is shorter by the tag. False: they are not of this key, nonce and associated data.</summary>
    bool TryDecrypt(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> ciphertextAndTag, Span<byte> plaintext, ReadOnlySpan<byte> associatedData);
}
