using System.Security.Cryptography;
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
    /// Create makes the keys of a new log. A genesis that a crash cut short after the log's key is taken up with that key. Throws <see cref="SecretsException"/> for a
    /// key-encryption key that is missing while the log's key is there.
    /// </summary>
    public static LogIdentity Create(DataFolder folder, Configuration configuration)
    {
        bool hasKey = File.Exists(folder.LogKey);
        var secrets = new FileSecretSource(folder, hasKey ? KeyEncryptionKey.Load(folder) : KeyEncryptionKey.LoadOrCreate(folder));
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
    public static LogIdentity Open(DataFolder folder, ReadOnlyMemory<byte> configuration, ReadOnlyMemory<byte> logId, ILogger logger)
    {
        if (!File.Exists(folder.TrustAnchor))
        {
            RemakeTrustAnchor(folder, configuration, logId);
            logger.TrustAnchorRemade(folder.TrustAnchor);
        }
        var anchor = TrustAnchor.Load(folder.TrustAnchor);
        if (!anchor.LogId.Span.SequenceEqual(logId.Span) || !anchor.ConfigurationOctets.Span.SequenceEqual(configuration.Span))
        {
            throw new StartupException($"{folder.TrustAnchor} is of another log than the database: OPTIKS_DATA and the connection string must belong together.");
        }
        var secrets = new FileSecretSource(folder, KeyEncryptionKey.Load(folder));
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
        (Signer as IDisposable)?.Dispose();
        Secrets.Dispose();
    }

    private static void RemakeTrustAnchor(DataFolder folder, ReadOnlyMemory<byte> configuration, ReadOnlyMemory<byte> logId)
    {
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
