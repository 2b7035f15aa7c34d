using System.ComponentModel.DataAnnotations;
using Optiks.Protocol;
using Optiks.Settings;

namespace Optiks.UpdateService.Options;

/// <summary>
/// Configures the limits that apply if the update-service cannot read the log's own configuration (<c>Optiks:Log</c>, a section that the
/// update-task reads too).
/// </summary>
internal sealed class LimitOptions
{
    public const string Section = "Optiks:Log";

    /// <summary>The length of the longest key in bytes, if the service cannot read the log's own configuration.</summary>
    [Range(1, ProtocolLimits.MaxKeyLength)]
    [Setting(Unit = SettingAttribute.Octets)]
    public int MaxKeyLength { get; set; } = ProtocolLimits.MaxKeyLength;

    /// <summary>The length of the longest value in bytes, if the service cannot read the log's own configuration.</summary>
    [Range(1, ProtocolLimits.MaxValueLength)]
    [Setting(Unit = SettingAttribute.Octets)]
    public int MaxValueLength { get; set; } = ProtocolLimits.DefaultMaxValueLength;

    /// <summary>The form of usernames, if the service cannot read the log's own configuration.</summary>
    [EnumDataType(typeof(UsernameForm))]
    public UsernameForm UsernameForm { get; set; } = UsernameForm.Octets;

    /// <summary>Returns a configuration with these limits. The caller must not use its other members.</summary>
    public Configuration ToConfiguration() => new()
    {
        Format = UsernameForm == UsernameForm.Octets ? Configuration.FirstFormat : Configuration.FormatWithUsernameForm,
        Origin = "unknown",
        MaxKeyLength = (byte)MaxKeyLength,
        MaxValueLength = (uint)MaxValueLength,
        UsernameForm = UsernameForm,
    };
}
