using System.Security.Cryptography;
using Optiks.Pkcs11;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tlog;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>Holds the identity of a log: its trust anchor, its signing key, and access to its secrets.</summary>
internal sealed class LogIdentity : IDisposable
{
    private LogIdentity(TrustAnchor anchor, INoteSigner signer, ISecretSource secrets)
    {
        Anchor = anchor;
        Signer = signer;
        Secrets = secrets;
    }

    public TrustAnchor Anchor { get; }

    public INoteSigner Signer { get; }

    public ISecretSource Secrets { get; }

    /// <summary>
    /// Makes the keys of a new log. If the settings name a token, the log's signing key is in that token. If an earlier attempt crashed
    /// after it had made the signing key, this method uses that key. Throws <see cref="SecretsException"/> if the key-encryption key is
    /// missing although the signing key exists.
    /// </summary>
    public static LogIdentity Create(DataFolder folder, Configuration configuration, KeySettings keys)
    {
        Pkcs11Uri? token = keys.Token;
        // The trust anchor is saved after a token has made the log's key. If the trust anchor exists, the key exists too.
        bool hasKey = token is null ? WrappedLogKey.Exists(folder) : File.Exists(folder.TrustAnchor);
        ISecretSource secrets = LogSecretSource.Create(folder, hasKey ? keys.Load(folder) : keys.LoadOrCreate(folder), token);
        try
        {
            if (hasKey)
            {
                var anchor = TrustAnchor.Load(folder.TrustAnchor);
                return new LogIdentity(anchor, secrets.OpenLogSigner(anchor), secrets);
            }
            (TrustAnchor created, INoteSigner signer) = secrets.CreateLog(configuration);
            return new LogIdentity(created, signer, secrets);
        }
        catch
        {
            secrets.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Opens the keys of the log that is in the database. Throws <see cref="SecretsException"/>, <see cref="TrustAnchorException"/> or
    /// <see cref="StartupException"/> if the keys are unusable or belong to another log.
    /// </summary>
    public static LogIdentity Open(
        DataFolder folder, ReadOnlyMemory<byte> configuration, ReadOnlyMemory<byte> logId, KeySettings keys, ILogger logger)
    {
        if (!File.Exists(folder.TrustAnchor))
        {
            RemakeTrustAnchor(folder, configuration, logId, keys);
            logger.TrustAnchorRemade(folder.TrustAnchor);
        }
        var anchor = TrustAnchor.Load(folder.TrustAnchor);
        if (!anchor.LogId.Span.SequenceEqual(logId.Span) || !anchor.ConfigurationOctets.Span.SequenceEqual(configuration.Span))
        {
            throw new StartupException(
                $"{folder.TrustAnchor} belongs to another log than the database: OPTIKS_DATA and the connection string must belong together.");
        }
        ISecretSource secrets = LogSecretSource.Create(folder, keys.Load(folder), keys.Token);
        try
        {
            return new LogIdentity(anchor, secrets.OpenLogSigner(anchor), secrets);
        }
        catch
        {
            secrets.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        Signer.Dispose();
        Secrets.Dispose();
    }

    private static void RemakeTrustAnchor(
        DataFolder folder, ReadOnlyMemory<byte> configuration, ReadOnlyMemory<byte> logId, KeySettings keys)
    {
        if (keys.Token is { } token)
        {
            using var inToken = Pkcs11Signer.OpenExisting(token, Configuration.Decode(configuration).Origin, SignatureType.Ed25519);
            var anchor = TrustAnchor.Create(configuration.Span, inToken.Key);
            if (!anchor.LogId.Span.SequenceEqual(logId.Span))
            {
                throw new SecretsException($"{token} is not the key of this log: name the right key. Nothing was signed.");
            }
            anchor.Save(folder.TrustAnchor);
            return;
        }
        byte[] seed = keys.Load(folder).Unwrap(WrappedLogKey.Read(folder), SecretPurpose.LogKey, logId.Span);
        try
        {
            using var signer = new NoteSigner(Configuration.Decode(configuration).Origin, SignatureType.Ed25519, seed);
            TrustAnchor.Create(configuration.Span, signer.Key).Save(folder.TrustAnchor);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(seed);
        }
    }
}
