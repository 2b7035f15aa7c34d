using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Pkcs11;

/// <summary>Keeps the log's key in a token; the secrets of periods stay wrapped in the database. Any thread.</summary>
public sealed class LogSecretSource : ISecretSource
{
    /// <summary>The setting that names the token's key; if the setting is empty, the log's key is in the data folder's file.</summary>
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
    /// Parses the setting; returns null if the setting is empty. Throws <see cref="SecretsException"/> if it is not a usable URI.
    /// </summary>
    public static Pkcs11Uri? FindUri(string? setting) => string.IsNullOrEmpty(setting) ? null
        : Pkcs11Uri.TryParse(setting, out Pkcs11Uri? uri, out string? problem) ? uri
        : throw new SecretsException($"{Setting} cannot be used. {problem}");

    /// <summary>
    /// Returns the secret source of a data folder and a ring. Throws <see cref="SecretsException"/> if the log's key is also in a file,
    /// credential or variable.
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
        throw new SecretsException($"{WrappedLogKey.DescribeSource(folder)} holds the log's key, and {Setting} names a token: a key in two places is only as safe as the weaker one. Once the token has this same key, move the file to where nobody can read it.");
    }

    /// <summary>
    /// Makes the log's key in the token, unless the token already has it, and saves the trust anchor. A genesis that a crash interrupted
    /// continues with the same key.
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
    public byte[] WrapPeriod(DirectorySecrets secrets, ulong period, ReadOnlySpan<byte> logId, KeyId? by = null) => _periods.WrapPeriod(secrets, period, logId, by);

    /// <inheritdoc/>
    public DirectorySecrets UnwrapPeriod(ReadOnlySpan<byte> wrapped, ulong period, ReadOnlySpan<byte> logId, out KeyId by) => _periods.UnwrapPeriod(wrapped, period, logId, out by);

    /// <inheritdoc/>
    public void Dispose() => _periods.Dispose();
}
