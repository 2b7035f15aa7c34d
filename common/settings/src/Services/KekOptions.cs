using Optiks.Settings;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Configures the file with the key-encryption keys, if they are not in a default place (<c>Optiks:Kek</c>; docs/operations/keys.md).
/// </summary>
public sealed class KekOptions
{
    /// <summary>The path of the section in the configuration.</summary>
    public const string Section = "Optiks:Kek";

    /// <summary>
    /// The file with the keys, one on each line. Each key is 43 characters of base64url, or the URI of an AES key in a PKCS#11 token. The
    /// program reads the file again at each use. If the setting is empty, the keys are in the variable <c>OPTIKS_KEK</c>, in the credential
    /// <c>optiks.kek</c>, or otherwise in the data folder's file <c>kek</c>. If more than one of these sources is set, the program refuses
    /// to start.
    /// </summary>
    /// <value>The default is empty.</value>
    [Setting(File = SettingFile.Secret)]
    public string File { get; set; } = "";
}
