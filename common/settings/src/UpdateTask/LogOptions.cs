using System.ComponentModel.DataAnnotations;
using Optiks.Protocol;
using Optiks.Settings;

namespace Optiks.UpdateTask.Options;

/// <summary>
/// Configures a new log (<c>Optiks:Log</c>; docs/spec/records.md section 1). The update-task reads these settings when it makes the first
/// epoch and never again, because a log's configuration does not change.
/// </summary>
internal sealed class LogOptions
{
    public const string Section = "Optiks:Log";

    /// <summary>The log's name, which is also the name of its key and the first line of its checkpoints. It should be a domain that the
    /// operator owns, followed by a path.</summary>
    [Required]
    [StringLength(255, MinimumLength = 1)]
    public string Origin { get; set; } = "localhost/optiks";

    /// <summary>The shortest time between two switches of the period.</summary>
    [Range(typeof(TimeSpan), "00:00:01", "36500.00:00:00")]
    public TimeSpan PeriodLength { get; set; } = TimeSpan.FromDays(90);

    /// <summary>The number of periods for which the log serves history and monitoring, including the current period.</summary>
    [Range(2, 255)]
    [Setting(Unit = "periods")]
    public int RetainedPeriods { get; set; } = 2;

    /// <summary>The length of the longest allowed key in bytes.</summary>
    [Range(1, ProtocolLimits.MaxKeyLength)]
    [Setting(Unit = SettingAttribute.Octets)]
    public int MaxKeyLength { get; set; } = ProtocolLimits.MaxKeyLength;

    /// <summary>The length of the longest allowed value in bytes.</summary>
    [Range(1, ProtocolLimits.MaxValueLength)]
    [Setting(Unit = SettingAttribute.Octets)]
    public int MaxValueLength { get; set; } = ProtocolLimits.DefaultMaxValueLength;

    /// <summary>The maximum number of devices of a user.</summary>
    [Range(1, ushort.MaxValue)]
    [Setting(Unit = "devices")]
    public int MaxDevices { get; set; } = 256;

    /// <summary>The longest time without an epoch. If there are no updates, the task makes an empty epoch after this time.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "24.00:00:00")]
    public TimeSpan Heartbeat { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>The time by which a record may be ahead of a verifier's clock.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "24.00:00:00")]
    public TimeSpan MaxAhead { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>The greatest age at which verifiers accept the newest record.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "24.00:00:00")]
    public TimeSpan MaxBehind { get; set; } = TimeSpan.FromMinutes(5);

    /// <summary>The form of usernames. With <c>Octets</c>, usernames are bytes. With <c>CaseMapped</c>, they are text, which is converted
    /// to one form regardless of the case in which it was typed (docs/spec/usernames.md).</summary>
    [EnumDataType(typeof(UsernameForm))]
    public UsernameForm UsernameForm { get; set; } = UsernameForm.Octets;

    /// <summary>
    /// Whether a username may be reassigned to another user after its user has left permanently (docs/spec/recycled-names.md), as telephone
    /// numbers are.
    /// </summary>
    public bool UsernameReuse { get; set; }

    /// <summary>Returns the configuration of a log that is made with these options.</summary>
    public Configuration ToConfiguration() => new()
    {
        Format = UsernameForm == UsernameForm.Octets ? Configuration.FirstFormat : Configuration.FormatWithUsernameForm,
        Origin = Origin,
        PeriodLengthMs = (ulong)PeriodLength.TotalMilliseconds,
        RetainedPeriods = (byte)RetainedPeriods,
        UsernameReuse = UsernameReuse ? (byte)1 : (byte)0,
        MaxKeyLength = (byte)MaxKeyLength,
        MaxValueLength = (uint)MaxValueLength,
        MaxDevices = (ushort)MaxDevices,
        HeartbeatMs = (uint)Heartbeat.TotalMilliseconds,
        MaxAheadMs = (uint)MaxAhead.TotalMilliseconds,
        MaxBehindMs = (uint)MaxBehind.TotalMilliseconds,
        UsernameForm = UsernameForm,
    };
}
