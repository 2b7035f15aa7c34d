using System.Security.Cryptography;
using Optiks.Pkcs11;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tlog;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>LogIdentity is what makes a log this log: its trust anchor, its signing key, and the way to its secrets.</summary>
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
    /// Create makes the keys of a new log, in a token if one is named. A genesis that a crash cut short after the log's key is taken up with that key. Throws <see cref="SecretsException"/> for a
    /// key-encryption key that is missing while the log's key is there.
    /// </summary>
    public static LogIdentity Create(DataFolder folder, Configuration configuration, Pkcs11Uri? token)
    {
        // Of a key in a token the trust anchor tells, which is saved after it was made.
        bool hasKey = File.Exists(token is null ? folder.LogKey : folder.TrustAnchor);
        ISecretSource secrets = LogSecretSource.Create(folder, hasKey ? KeyEncryptionKey.Load(folder) : KeyEncryptionKey.LoadOrCreate(folder), token);
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
    /// Open opens the keys of the log that the database holds. Throws <see cref="SecretsException"/>, <see cref="TrustAnchorException"/> or <see cref="StartupException"/> when
    /// they are another log's.
    /// </summary>
    public static LogIdentity Open(DataFolder folder, ReadOnlyMemory<byte> configuration, ReadOnlyMemory<byte> logId, Pkcs11Uri? token, ILogger logger)
    {
        if (!File.Exists(folder.TrustAnchor))
        {
            RemakeTrustAnchor(folder, configuration, logId, token);
            logger.TrustAnchorRemade(folder.TrustAnchor);
        }
        var anchor = TrustAnchor.Load(folder.TrustAnchor);
        if (!anchor.LogId.Span.SequenceEqual(logId.Span) || !anchor.ConfigurationOctets.Span.SequenceEqual(configuration.Span))
        {
            throw new StartupException($"{folder.TrustAnchor} is of another log than the database: OPTIKS_DATA and the connection string must belong together.");
        }
        ISecretSource secrets = LogSecretSource.Create(folder, KeyEncryptionKey.Load(folder), token);
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

    private static void RemakeTrustAnchor(DataFolder folder, ReadOnlyMemory<byte> configuration, ReadOnlyMemory<byte> logId, Pkcs11Uri? token)
    {
        if (token is not null)
        {
            using var inToken = Pkcs11Signer.OpenExisting(token, Configuration.Decode(configuration).Origin, SignatureType.Ed25519);
            var anchor = TrustAnchor.Create(configuration.Span, inToken.Key);
            if (!anchor.LogId.Span.SequenceEqual(logId.Span))
            {
                throw new SecretsException($"{token} is not the key of this log: name the right one, nothing was signed.");
            }
            anchor.Save(folder.TrustAnchor);
            return;
        }
        using var keyEncryptionKey = KeyEncryptionKey.Load(folder);
        byte[] seed = keyEncryptionKey.Unwrap(SecretFile.Read(folder.LogKey), SecretPurpose.LogKey, logId.Span);
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
