using Microsoft.Extensions.Options;
using Optiks.Pkcs11;
using Optiks.Secrets;
using Optiks.ServiceDefaults;
using Optiks.UpdateTask.Options;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>Says where the task's keys are. Immutable.</summary>
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
    /// The token that holds the log's key; null if no token holds it. Throws as <see cref="LogSecretSource.FindUri"/> does.
    /// </summary>
    public Pkcs11Uri? Token => LogSecretSource.FindUri(_logKey.Uri);

    /// <summary>Loads the key-encryption keys. Throws <see cref="SecretsException"/> if they are missing or unusable.</summary>
    public KeyRing Load(DataFolder folder) => KeyRings.Load(folder, _kek.File);

    /// <summary>Loads the key-encryption keys; if no key exists, makes a key.</summary>
    public KeyRing LoadOrCreate(DataFolder folder) => KeyRings.LoadOrCreate(folder, _kek.File);
}
