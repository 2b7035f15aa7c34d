using System.ComponentModel.DataAnnotations;
using Optiks.Protocol;
using Optiks.Settings;

namespace Optiks.UpdateService.Options;

/// <summary>
/// Configures the limits that apply where the log's own configuration cannot be read (<c>Optiks:Log</c>, shared with the update-task).
/// </summary>
internal sealed class LimitOptions
{
    public const string Section = "Optiks:Log";

    /// <summary>The longest key in bytes, where the log's own configuration cannot be read.</summary>
    [Range(1, ProtocolLimits.MaxKeyLength)]
    [Setting(Unit = SettingAttribute.Octets)]
    public int MaxKeyLength { get; set; } = ProtocolLimits.MaxKeyLength;

    /// <summary>The longest value in bytes, where the log's own configuration cannot be read.</summary>
    [Range(1, ProtocolLimits.MaxValueLength)]
    [Setting(Unit = SettingAttribute.Octets)]
    public int MaxValueLength { get; set; } = ProtocolLimits.DefaultMaxValueLength;

    /// <summary>The form of usernames, where the log's own configuration cannot be read.</summary>
    [EnumDataType(typeof(UsernameForm))]
    public UsernameForm UsernameForm { get; set; } = UsernameForm.Octets;

    /// <summary>Returns a configuration with these limits; its other members are undefined.</summary>
    public Configuration ToConfiguration() => new()
    {
        Format = UsernameForm == UsernameForm.Octets ? Configuration.FirstFormat : Configuration.FormatWithUsernameForm,
        Origin = "unknown",
        MaxKeyLength = (byte)MaxKeyLength,
        MaxValueLength = (uint)MaxValueLength,
        UsernameForm = UsernameForm,
    };
}
