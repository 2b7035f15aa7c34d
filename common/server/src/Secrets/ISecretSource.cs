using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Secrets;

/// <summary>
/// Gives programs their only access to secret keys. <see cref="FileSecretSource"/> keeps the log's key in a file. An external signer
/// implements the same interface, and then no program holds that key. Members throw <see cref="SecretsException"/> if they fail, and
/// <see cref="SignerUnavailableException"/> if a token with a key fails. Any thread may use a source.
/// </summary>
public interface ISecretSource : IDisposable
{
    /// <summary>
    /// Makes the key and the trust anchor of a new log. The key's name is the configuration's origin. Throws <see cref="SecretsException"/>
    /// if a log key exists already. The caller disposes the signer.
    /// </summary>
    (TrustAnchor Anchor, INoteSigner Signer) CreateLog(Configuration configuration);

    /// <summary>Opens the key of the log to which a trust anchor belongs. The caller disposes the signer.</summary>
    INoteSigner OpenLogSigner(TrustAnchor anchor);

    /// <summary>
    /// Encrypts a period's secrets for storage; <paramref name="logId"/> has 32 bytes. The parameter <paramref name="by"/> is the id of the
    /// key to use; null selects the first key of the key ring.
    /// </summary>
    byte[] WrapPeriod(DirectorySecrets secrets, ulong period, ReadOnlySpan<byte> logId, KeyId? by = null);

    /// <summary>
    /// Decrypts a period's secrets, and sets the parameter <paramref name="by"/> to the id of the key that had wrapped them. The caller
    /// disposes the result.
    /// </summary>
    DirectorySecrets UnwrapPeriod(ReadOnlySpan<byte> wrapped, ulong period, ReadOnlySpan<byte> logId, out KeyId by);

    /// <summary>Decrypts a period's secrets. The caller disposes the result.</summary>
    DirectorySecrets UnwrapPeriod(ReadOnlySpan<byte> wrapped, ulong period, ReadOnlySpan<byte> logId) =>
        UnwrapPeriod(wrapped, period, logId, out _);
}
