using Optiks.Pkcs11;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.Db.Keys;

/// <summary>Where the keys of one host are: its data folder, and what its settings say.</summary>
/// <param name="Folder">The data folder.</param>
/// <param name="Trust">The log's trust anchor.</param>
/// <param name="KekFile">Value of <see cref="KeyRing.Setting"/>.</param>
/// <param name="LogKeyUri">Value of <see cref="LogSecretSource.Setting"/>.</param>
internal sealed record KeyPlace(DataFolder Folder, string Trust, string? KekFile, string? LogKeyUri)
{
    /// <summary>Ring of the host. Throws <see cref="SecretsException"/>.</summary>
    public KeyRing Ring() => KeyRings.Load(Folder, KekFile);

    /// <summary>Anchor of the log.</summary>
    public TrustAnchor Anchor() => TrustAnchor.Load(Trust);

    /// <summary>HasWrappedLogKey: this host has the log's key, and in no token.</summary>
    public bool HasWrappedLogKey => LogSecretSource.UriOf(LogKeyUri) is null && WrappedLogKey.Exists(Folder);
}
