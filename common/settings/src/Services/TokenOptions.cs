using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.ServiceDefaults;

/// <summary>TokenOptions (<c>Optiks:Tokens</c>) let callers come with tokens of the operator's account system (docs/operations/tokens.md).</summary>
internal sealed class TokenOptions
{
    public const string Section = "Optiks:Tokens";

    /// <summary>KeysFile is a JWKS file with the account system's public keys. Changes are taken within a second.</summary>
    /// <value>Empty: no tokens are taken.</value>
    [Setting(File = SettingFile.Public)]
    public string KeysFile { get; set; } = "";

    /// <summary>Audience that tokens must name; one that no other service of the operator has.</summary>
    public string Audience { get; set; } = "";

    /// <summary>MaxLifetime is the longest time from when a token was signed to when it expires.</summary>
    /// <value>One hour.</value>
    [Range(typeof(TimeSpan), "00:01:00", "1.00:00:00")]
    public TimeSpan MaxLifetime { get; set; } = TimeSpan.FromHours(1);

    /// <summary>ClockSkew is by how much the clocks of account system and service may differ.</summary>
    /// <value>One minute.</value>
    [Range(typeof(TimeSpan), "00:00:00", "00:05:00")]
    public TimeSpan ClockSkew { get; set; } = TimeSpan.FromMinutes(1);
}
