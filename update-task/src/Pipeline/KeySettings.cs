using Microsoft.Extensions.Options;
using Optiks.Pkcs11;
using Optiks.Secrets;
using Optiks.ServiceDefaults;
using Optiks.UpdateTask.Options;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>Holds the settings that say where the task's keys are. Immutable.</summary>
internal sealed class KeySettings
{
    private readonly LogKeyOptions _logKey;
    private readonly KekOptions _kek;

    public KeySettings(IOptions<LogKeyOptions> logKey, IOptions<KekOptions> kek)
    {
        _logKey = logKey.Value;
        _kek = kek.Value;
    }

    /// <summary>
    /// The PKCS #11 URI of the log's key if a token holds the key; otherwise null. Throws the same exceptions as
    /// <see cref="LogSecretSource.FindUri"/>.
    /// </summary>
    public Pkcs11Uri? Token => LogSecretSource.FindUri(_logKey.Uri);

    /// <summary>Loads the key-encryption keys. Throws <see cref="SecretsException"/> if the keys are missing or unusable.</summary>
    public KeyRing Load(DataFolder folder) => KeyRings.Load(folder, _kek.File);

    /// <summary>Loads the key-encryption keys. If none exists, makes a new key-encryption key.</summary>
    public KeyRing LoadOrCreate(DataFolder folder) => KeyRings.LoadOrCreate(folder, _kek.File);
}
