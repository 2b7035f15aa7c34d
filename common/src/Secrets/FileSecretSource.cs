using System.Security.Cryptography;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Secrets;

/// <summary>FileSecretSource keeps the log's key in the data folder, wrapped by the key-encryption key that it is given and owns.</summary>
public sealed class FileSecretSource : ISecretSource
{
    private readonly DataFolder _folder;
    private readonly KeyEncryptionKey _keyEncryptionKey;

    public FileSecretSource(DataFolder folder, KeyEncryptionKey keyEncryptionKey)
    {
        ArgumentNullException.ThrowIfNull(folder);
        ArgumentNullException.ThrowIfNull(keyEncryptionKey);
        _folder = folder;
        _keyEncryptionKey = keyEncryptionKey;
    }

    /// <summary>
    /// CreateLog also saves the trust anchor, before the key: a folder with a log key has a trust anchor, so that a genesis cut short
    /// by a crash is taken up with the same key.
    /// </summary>
    public (TrustAnchor Anchor, INoteSigner Signer) CreateLog(Configuration configuration)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        if (File.Exists(_folder.LogKey))
        {
            throw KeyExists();
        }
        byte[] seed = RandomNumberGenerator.GetBytes(Ed25519.SeedLength);
        try
        {
            var signer = new NoteSigner(configuration.Origin, SignatureType.Ed25519, seed);
            var anchor = TrustAnchor.Create(configuration.Encode(), signer.Key);
            anchor.Save(_folder.TrustAnchor);
            byte[] wrapped = _keyEncryptionKey.Wrap(seed, SecretPurpose.LogKey, anchor.LogId.Span);
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
        byte[] seed = _keyEncryptionKey.Unwrap(SecretFile.Read(_folder.LogKey), SecretPurpose.LogKey, anchor.LogId.Span);
        try
        {
            var signer = new NoteSigner(anchor.Configuration.Origin, SignatureType.Ed25519, seed);
            if (signer.Key.Equals(anchor.LogKey))
            {
                return signer;
            }
            signer.Dispose();
            throw new SecretsException($"{_folder.LogKey} is not the key of {anchor.LogKey}: put the log's own key back.");
        }
        finally
        {
            CryptographicOperations.ZeroMemory(seed);
        }
    }

    /// <inheritdoc/>
    public byte[] WrapPeriod(DirectorySecrets secrets, ulong period, ReadOnlySpan<byte> logId)
    {
        ArgumentNullException.ThrowIfNull(secrets);
        return _keyEncryptionKey.Wrap(secrets.Octets, SecretPurpose.PeriodSecrets(period), logId);
    }

    /// <inheritdoc/>
    public DirectorySecrets UnwrapPeriod(ReadOnlySpan<byte> wrapped, ulong period, ReadOnlySpan<byte> logId)
    {
        byte[] octets = _keyEncryptionKey.Unwrap(wrapped, SecretPurpose.PeriodSecrets(period), logId);
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
    public void Dispose() => _keyEncryptionKey.Dispose();

    private SecretsException KeyExists() => new($"{_folder.LogKey} exists: a log that has a key is never given a new one.");
}
