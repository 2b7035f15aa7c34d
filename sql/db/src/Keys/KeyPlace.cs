using Optiks.Pkcs11;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.Db.Keys;

/// <summary>The place of a host's keys: its data folder and its settings.</summary>
/// <param name="Folder">The data folder.</param>
/// <param name="Trust">The log's trust anchor.</param>
/// <param name="KekFile">The value of <see cref="KeyRing.Setting"/>.</param>
/// <param name="LogKeyUri">The value of <see cref="LogSecretSource.Setting"/>.</param>
internal sealed record KeyPlace(DataFolder Folder, string Trust, string? KekFile, string? LogKeyUri)
{
    /// <summary>Loads the key ring of the host. Throws <see cref="SecretsException"/>.</summary>
    public KeyRing Ring() => KeyRings.Load(Folder, KekFile);

    /// <summary>Loads the log's trust anchor.</summary>
    public TrustAnchor Anchor() => TrustAnchor.Load(Trust);

    /// <summary>Whether this host has the log's key in wrapped form rather than in a token.</summary>
    public bool HasWrappedLogKey => LogSecretSource.FindUri(LogKeyUri) is null && WrappedLogKey.Exists(Folder);
}
