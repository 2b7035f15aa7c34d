using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Pkcs11;

/// <summary>Provides the secrets of a log whose key is in a token. The secrets of periods are wrapped in the database, as in other logs.
/// Any thread may use it.</summary>
public sealed class LogSecretSource : ISecretSource
{
    /// <summary>The setting that names the log's key in a token. If the setting is empty, the log's key is in the data folder's
    /// file.</summary>
    public const string Setting = "Optiks:LogKey:Uri";

    private readonly DataFolder _folder;
    private readonly FileSecretSource _periods;
    private readonly Pkcs11Uri _uri;

    private LogSecretSource(DataFolder folder, FileSecretSource periods, Pkcs11Uri uri)
    {
        _folder = folder;
        _periods = periods;
        _uri = uri;
    }

    /// <summary>
    /// Parses the value of the setting; returns null if the value is empty. Throws <see cref="SecretsException"/> if the value is not a
    /// usable URI.
    /// </summary>
    public static Pkcs11Uri? FindUri(string? setting) => string.IsNullOrEmpty(setting) ? null
        : Pkcs11Uri.TryParse(setting, out Pkcs11Uri? uri, out string? problem) ? uri
        : throw new SecretsException($"{Setting} cannot be used. {problem}");

    /// <summary>
    /// Returns the secret source of a log. If the parameter <paramref name="uri"/> is not null, the log's key is in a token; throws
    /// <see cref="SecretsException"/> if the key is also in a file, credential or variable.
    /// </summary>
    public static ISecretSource Create(DataFolder folder, KeyRing keys, Pkcs11Uri? uri)
    {
        ArgumentNullException.ThrowIfNull(folder);
        var periods = new FileSecretSource(folder, keys);
        if (uri is null)
        {
            return periods;
        }
        if (!WrappedLogKey.Exists(folder))
        {
            return new LogSecretSource(folder, periods, uri);
        }
        periods.Dispose();
        throw new SecretsException(
            $"{WrappedLogKey.DescribeSource(folder)} holds the log's key, and {Setting} names a token: a key in two places is only as safe as the weaker one. Once the token has this same key, move the file to where nobody can read it.");
    }

    /// <summary>
    /// Makes the log's key in the token, unless the token already has the key, and saves the trust anchor. If a crash interrupts the start
    /// of a new log, the next start therefore continues with the same key.
    /// </summary>
    public (TrustAnchor Anchor, INoteSigner Signer) CreateLog(Configuration configuration)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        var signer = Pkcs11Signer.OpenOrGenerate(_uri, configuration.Origin, SignatureType.Ed25519);
        try
        {
            var anchor = TrustAnchor.Create(configuration.Encode(), signer.Key);
            anchor.Save(_folder.TrustAnchor);
            return (anchor, signer);
        }
        catch
        {
            signer.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public INoteSigner OpenLogSigner(TrustAnchor anchor)
    {
        ArgumentNullException.ThrowIfNull(anchor);
        return Pkcs11Signer.Open(_uri, anchor.LogKey);
    }

    /// <inheritdoc/>
    public byte[] WrapPeriod(DirectorySecrets secrets, ulong period, ReadOnlySpan<byte> logId, KeyId? by = null) =>
        _periods.WrapPeriod(secrets, period, logId, by);

    /// <inheritdoc/>
    public DirectorySecrets UnwrapPeriod(ReadOnlySpan<byte> wrapped, ulong period, ReadOnlySpan<byte> logId, out KeyId by) =>
        _periods.UnwrapPeriod(wrapped, period, logId, out by);

    /// <inheritdoc/>
    public void Dispose() => _periods.Dispose();
}
