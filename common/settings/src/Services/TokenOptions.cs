using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Configures whether the program accepts tokens that the operator's account system signs (<c>Optiks:Tokens</c>;
/// docs/operations/tokens.md).
/// </summary>
internal sealed class TokenOptions
{
    public const string Section = "Optiks:Tokens";

    /// <summary>The JWKS file with the account system's public keys. A change of the file takes effect within a second. If the setting is
    /// empty, the program accepts no tokens.</summary>
    /// <value>The default is empty.</value>
    [Setting(File = SettingFile.Public)]
    public string KeysFile { get; set; } = "";

    /// <summary>The audience that tokens must name. No other service of the operator may have the same audience.</summary>
    public string Audience { get; set; } = "";

    /// <summary>The longest time between the signing and the expiry of a token that the program accepts.</summary>
    /// <value>The default is one hour.</value>
    [Range(typeof(TimeSpan), "00:01:00", "1.00:00:00")]
    public TimeSpan MaxLifetime { get; set; } = TimeSpan.FromHours(1);

    /// <summary>The greatest allowed difference between the clock of the account system and the clock of the service.</summary>
    /// <value>The default is one minute.</value>
    [Range(typeof(TimeSpan), "00:00:00", "00:05:00")]
    public TimeSpan ClockSkew { get; set; } = TimeSpan.FromMinutes(1);
}
