using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Secrets;

/// <summary>
/// ISecretSource is the one way to secret keys. <see cref="FileSecretSource"/> keeps the log's key in a file; an external signer implements
/// the same, and then no program holds that key. Failures are <see cref="SecretsException"/>, and <see cref="SignerUnavailableException"/> where keys are in a token. Any thread.
/// </summary>
public interface ISecretSource : IDisposable
{
    /// <summary>
    /// CreateLog makes the key of a new log whose key name is the configuration's origin, and its trust anchor. Refused when there is a log
    /// key already. The caller disposes the signer.
    /// </summary>
    (TrustAnchor Anchor, INoteSigner Signer) CreateLog(Configuration configuration);

    /// <summary>OpenLogSigner opens the key of a trust anchor's log. The caller disposes it.</summary>
    INoteSigner OpenLogSigner(TrustAnchor anchor);

    /// <summary>WrapPeriod encrypts a period's secrets for storage; <paramref name="logId"/> is 32 octets. By the ring's first key, or by the one that <paramref name="by"/> names.</summary>
    byte[] WrapPeriod(DirectorySecrets secrets, ulong period, ReadOnlySpan<byte> logId, KeyId? by = null);

    /// <summary>UnwrapPeriod is the reverse, and says by which key they were wrapped. The caller disposes the result.</summary>
    DirectorySecrets UnwrapPeriod(ReadOnlySpan<byte> wrapped, ulong period, ReadOnlySpan<byte> logId, out KeyId by);

    /// <summary>UnwrapPeriod does not say so.</summary>
    DirectorySecrets UnwrapPeriod(ReadOnlySpan<byte> wrapped, ulong period, ReadOnlySpan<byte> logId) => UnwrapPeriod(wrapped, period, logId, out _);
}
