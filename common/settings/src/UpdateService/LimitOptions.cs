using System.ComponentModel.DataAnnotations;
using Optiks.Protocol;
using Optiks.Settings;

namespace Optiks.UpdateService.Options;

/// <summary>LimitOptions (<c>Optiks:Log</c>, shared with the update-task) hold where the log's own configuration cannot be read.</summary>
internal sealed class LimitOptions
{
    public const string Section = "Optiks:Log";

    /// <summary>MaxKeyLength in octets, where the log's own configuration cannot be read.</summary>
    [Range(1, ProtocolLimits.MaxKeyLength)]
    [Setting(Unit = SettingAttribute.Octets)]
    public int MaxKeyLength { get; set; } = ProtocolLimits.MaxKeyLength;

    /// <summary>MaxValueLength in octets, likewise.</summary>
    [Range(1, ProtocolLimits.MaxValueLength)]
    [Setting(Unit = SettingAttribute.Octets)]
    public int MaxValueLength { get; set; } = ProtocolLimits.DefaultMaxValueLength;

    /// <summary>UsernameForm: which usernames there are, likewise.</summary>
    [EnumDataType(typeof(UsernameForm))]
    public UsernameForm UsernameForm { get; set; } = UsernameForm.Octets;

    /// <summary>ToConfiguration gives them as the members of a configuration, which has no others that mean anything.</summary>
    public Configuration ToConfiguration() => new()
    {
        Format = UsernameForm == UsernameForm.Octets ? Configuration.FirstFormat : Configuration.FormatWithUsernameForm,
        Origin = "unknown",
        MaxKeyLength = (byte)MaxKeyLength,
        MaxValueLength = (uint)MaxValueLength,
        UsernameForm = UsernameForm,
    };
}
