using System.Security.Cryptography;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Secrets;

/// <summary>
/// Reads the log's key from the data folder, or from another place where <see cref="WrappedLogKey"/> finds the key. The stored key is
/// wrapped by a key of the given <see cref="KeyRing"/>.
/// </summary>
public sealed class FileSecretSource : ISecretSource
{
    private readonly DataFolder _folder;
    private readonly KeyRing _keys;

    public FileSecretSource(DataFolder folder, KeyRing keys)
    {
        ArgumentNullException.ThrowIfNull(folder);
        ArgumentNullException.ThrowIfNull(keys);
        _folder = folder;
        _keys = keys;
    }

    /// <summary>
    /// Makes the key of a new log, and saves the log's trust anchor before the key. Therefore a folder with a log key always has a trust
    /// anchor, and if a crash interrupts the start of a new log, the next start continues with the same key.
    /// </summary>
    public (TrustAnchor Anchor, INoteSigner Signer) CreateLog(Configuration configuration)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        if (WrappedLogKey.Exists(_folder))
        {
            throw KeyExists();
        }
        byte[] seed = RandomNumberGenerator.GetBytes(Ed25519.SeedLength);
        try
        {
            var signer = new NoteSigner(configuration.Origin, SignatureType.Ed25519, seed);
            var anchor = TrustAnchor.Create(configuration.Encode(), signer.Key);
            anchor.Save(_folder.TrustAnchor);
            byte[] wrapped = _keys.Wrap(seed, SecretPurpose.LogKey, anchor.LogId.Span);
            return AtomicFile.TryCreate(_folder.LogKey, wrapped, AtomicFile.PrivateMode) ? (anchor, signer) : throw KeyExists();
        }
        finally
        {
            CryptographicOperations.ZeroMemory(seed);
        }
    }

    /// <inheritdoc/>
    public INoteSigner OpenLogSigner(TrustAnchor anchor)
    {
        ArgumentNullException.ThrowIfNull(anchor);
        byte[] seed = _keys.Unwrap(WrappedLogKey.Read(_folder), SecretPurpose.LogKey, anchor.LogId.Span);
        try
        {
            var signer = new NoteSigner(anchor.Configuration.Origin, SignatureType.Ed25519, seed);
            if (signer.Key.Equals(anchor.LogKey))
            {
                return signer;
            }
            signer.Dispose();
            throw new SecretsException(
                $"{WrappedLogKey.DescribeSource(_folder)} is not the key of {anchor.LogKey}: put the log's own key back.");
        }
        finally
        {
            CryptographicOperations.ZeroMemory(seed);
        }
    }

    /// <inheritdoc/>
    public byte[] WrapPeriod(DirectorySecrets secrets, ulong period, ReadOnlySpan<byte> logId, KeyId? by = null)
    {
        ArgumentNullException.ThrowIfNull(secrets);
        return _keys.Wrap(secrets.Octets, SecretPurpose.PeriodSecrets(period), logId, by);
    }

    /// <inheritdoc/>
    public DirectorySecrets UnwrapPeriod(ReadOnlySpan<byte> wrapped, ulong period, ReadOnlySpan<byte> logId) =>
        UnwrapPeriod(wrapped, period, logId, out _);

    /// <inheritdoc/>
    public DirectorySecrets UnwrapPeriod(ReadOnlySpan<byte> wrapped, ulong period, ReadOnlySpan<byte> logId, out KeyId by)
    {
        byte[] octets = _keys.Unwrap(wrapped, SecretPurpose.PeriodSecrets(period), logId, out by);
        try
        {
            return DirectorySecrets.FromOctets(octets);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(octets);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        // This class has nothing to dispose, because it opens keys anew for each use.
    }

    private SecretsException KeyExists() =>
        new($"{WrappedLogKey.DescribeSource(_folder)} exists: a log that has a key is never given a new one.");
}
