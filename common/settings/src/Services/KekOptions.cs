using Optiks.Settings;

namespace Optiks.ServiceDefaults;

/// <summary>KekOptions (<c>Optiks:Kek</c>) say where the key-encryption keys are, if not where they are without being asked for (docs/operations/keys.md).</summary>
public sealed class KekOptions
{
    /// <summary>Section of the configuration.</summary>
    public const string Section = "Optiks:Kek";

    /// <summary>File with the keys, a line each: 43 characters of base64url, or the URI of an AES key in a PKCS#11 token. It is read again whenever they are used.</summary>
    /// <value>Empty: the variable <c>OPTIKS_KEK</c>, the credential <c>optiks.kek</c>, or else the data folder's file <c>kek</c>. More than one is refused.</value>
    [Setting(File = SettingFile.Secret)]
    public string File { get; set; } = "";
}
