using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Configures the acceptance of tokens of the operator's account system (<c>Optiks:Tokens</c>; docs/operations/tokens.md).
/// </summary>
internal sealed class TokenOptions
{
    public const string Section = "Optiks:Tokens";

    /// <summary>The JWKS file with the account system's public keys. A change takes effect within a second.</summary>
    /// <value>Empty: no tokens are accepted.</value>
    [Setting(File = SettingFile.Public)]
    public string KeysFile { get; set; } = "";

    /// <summary>The audience that tokens must name; no other service of the operator may have it.</summary>
    public string Audience { get; set; } = "";

    /// <summary>The longest time from a token's signature to its expiry.</summary>
    /// <value>One hour.</value>
    [Range(typeof(TimeSpan), "00:01:00", "1.00:00:00")]
    public TimeSpan MaxLifetime { get; set; } = TimeSpan.FromHours(1);

    /// <summary>The greatest difference allowed between the clocks of account system and service.</summary>
    /// <value>One minute.</value>
    [Range(typeof(TimeSpan), "00:00:00", "00:05:00")]
    public TimeSpan ClockSkew { get; set; } = TimeSpan.FromMinutes(1);
}
