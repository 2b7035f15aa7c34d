using System.ComponentModel.DataAnnotations;
using Optiks.Protocol;
using Optiks.Settings;

namespace Optiks.UpdateTask.Options;

/// <summary>
/// Configures a new log (<c>Optiks:Log</c>; docs/spec/records.md section 1). The settings are read when the first epoch is made and never
/// again: a log's configuration does not change.
/// </summary>
internal sealed class LogOptions
{
    public const string Section = "Optiks:Log";

    /// <summary>The name of the log in checkpoints and of its key: a domain that the operator owns, and a path.</summary>
    [Required]
    [StringLength(255, MinimumLength = 1)]
    public string Origin { get; set; } = "localhost/optiks";

    /// <summary>The shortest time between two switches of the period.</summary>
    [Range(typeof(TimeSpan), "00:00:01", "36500.00:00:00")]
    public TimeSpan PeriodLength { get; set; } = TimeSpan.FromDays(90);

    /// <summary>The number of periods whose history and monitoring are served, including the current one.</summary>
    [Range(2, 255)]
    [Setting(Unit = "periods")]
    public int RetainedPeriods { get; set; } = 2;

    /// <summary>The longest key in bytes.</summary>
    [Range(1, ProtocolLimits.MaxKeyLength)]
    [Setting(Unit = SettingAttribute.Octets)]
    public int MaxKeyLength { get; set; } = ProtocolLimits.MaxKeyLength;

    /// <summary>The longest value in bytes.</summary>
    [Range(1, ProtocolLimits.MaxValueLength)]
    [Setting(Unit = SettingAttribute.Octets)]
    public int MaxValueLength { get; set; } = ProtocolLimits.DefaultMaxValueLength;

    /// <summary>The most devices of a user.</summary>
    [Range(1, ushort.MaxValue)]
    [Setting(Unit = "devices")]
    public int MaxDevices { get; set; } = 256;

    /// <summary>The longest time without an epoch: without updates the task makes an empty one.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "24.00:00:00")]
    public TimeSpan Heartbeat { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>How far in the future a record's time may be for its readers.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "24.00:00:00")]
    public TimeSpan MaxAhead { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>How old the newest record may be for its readers.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "24.00:00:00")]
    public TimeSpan MaxBehind { get; set; } = TimeSpan.FromMinutes(5);

    /// <summary>The form of usernames: bytes, or text in one form whatever the case it is typed in (docs/spec/usernames.md).</summary>
    [EnumDataType(typeof(UsernameForm))]
    public UsernameForm UsernameForm { get; set; } = UsernameForm.Octets;

    /// <summary>
    /// Whether a username may be reassigned to another user after its own has left permanently (docs/spec/recycled-names.md), like
    /// telephone numbers.
    /// </summary>
    public bool UsernameReuse { get; set; }

    /// <summary>Returns the configuration of a log made with these options.</summary>
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
