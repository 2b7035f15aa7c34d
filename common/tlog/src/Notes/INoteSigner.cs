namespace Optiks.Tlog;

/// <summary>
/// Holds one Ed25519 private key, in memory or in an external signer, and signs with it. Implementations are thread-safe. A key is used
/// either for notes (0x01) or for cosignatures (0x04), never for both.
/// </summary>
public interface INoteSigner : IDisposable
{
    /// <summary>The public key. The key's type says what <see cref="SignAsync"/> may sign.</summary>
    VerifierKey Key { get; }

    /// <summary>
    /// Returns the 64-byte Ed25519 signature of a message. The signature is deterministic (RFC 8032): the same message gives the same
    /// bytes, so that an epoch can be signed again after a crash.
    /// </summary>
    ValueTask<byte[]> SignAsync(ReadOnlyMemory<byte> message, CancellationToken cancellationToken);
}
