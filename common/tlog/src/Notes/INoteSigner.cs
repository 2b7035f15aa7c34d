namespace Optiks.Tlog;

/// <summary>
/// Holds one Ed25519 private key, in memory or in an external signer, and signs with it. A key is used either for notes (type 0x01) or for
/// cosignatures (type 0x04), never for both. Any thread may use an implementation.
/// </summary>
public interface INoteSigner : IDisposable
{
    /// <summary>The public key. The key's type says what <see cref="SignAsync"/> may sign.</summary>
    VerifierKey Key { get; }

    /// <summary>
    /// Returns the 64-byte Ed25519 signature of a message. The signature is deterministic (RFC 8032): if the log signs an epoch again after
    /// a crash, the signature has the same bytes.
    /// </summary>
    ValueTask<byte[]> SignAsync(ReadOnlyMemory<byte> message, CancellationToken cancellationToken);
}
