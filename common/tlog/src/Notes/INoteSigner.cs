namespace Optiks.Tlog;

/// <summary>
/// INoteSigner holds one Ed25519 private key, in memory or in an external signer, and signs with it. Implementations are
/// thread-safe. A key is used either for notes (0x01) or for cosignatures (0x04), never for both.
/// </summary>
public interface INoteSigner : IDisposable
{
    /// <summary>Key is the public side. Its type says what <see cref="SignAsync"/> may be asked to sign.</summary>
    VerifierKey Key { get; }

    /// <summary>
    /// SignAsync returns the 64-byte Ed25519 signature of a message. Deterministic (RFC 8032): the same message gives the same bytes,
    /// which lets a crashed epoch be signed again.
    /// </summary>
    ValueTask<byte[]> SignAsync(ReadOnlyMemory<byte> message, CancellationToken cancellationToken);
}
