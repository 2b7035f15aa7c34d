using Optiks.Settings;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Configures where the key-encryption keys are, if they are not in a default place (<c>Optiks:Kek</c>; docs/operations/keys.md).
/// </summary>
public sealed class KekOptions
{
    /// <summary>The section of the configuration.</summary>
    public const string Section = "Optiks:Kek";

    /// <summary>
    /// The file with the keys, one on each line: 43 characters of base64url, or the URI of an AES key in a PKCS#11 token. It is read again
    /// at each use.
    /// </summary>
    /// <value>Empty: the variable <c>OPTIKS_KEK</c>, the credential <c>optiks.kek</c>, or else the data folder's file <c>kek</c>. More than
    /// one is refused.</value>
    [Setting(File = SettingFile.Secret)]
    public string File { get; set; } = "";
}
