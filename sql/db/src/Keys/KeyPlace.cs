using Optiks.Pkcs11;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.Db.Keys;

/// <summary>Says where a host's keys are, by the host's data folder and settings.</summary>
/// <param name="Folder">The data folder.</param>
/// <param name="Trust">The path of the log's trust anchor.</param>
/// <param name="KekFile">The value of the setting that names the file of the key ring (<see cref="KeyRing.Setting"/>), or null.</param>
/// <param name="LogKeyUri">The value of the setting that names the log key's place in a token (<see cref="LogSecretSource.Setting"/>), or
/// null.</param>
internal sealed record KeyPlace(DataFolder Folder, string Trust, string? KekFile, string? LogKeyUri)
{
    /// <summary>Loads the host's key ring. Throws <see cref="SecretsException"/> if it cannot.</summary>
    public KeyRing Ring() => KeyRings.Load(Folder, KekFile);

    /// <summary>Loads the log's trust anchor.</summary>
    public TrustAnchor Anchor() => TrustAnchor.Load(Trust);

    /// <summary>Whether this host has the log key in wrapped form, and not in a token.</summary>
    public bool HasWrappedLogKey => LogSecretSource.FindUri(LogKeyUri) is null && WrappedLogKey.Exists(Folder);
}
