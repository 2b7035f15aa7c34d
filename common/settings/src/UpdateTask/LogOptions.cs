using System.ComponentModel.DataAnnotations;
using Optiks.Protocol;
using Optiks.Settings;

namespace Optiks.UpdateTask.Options;

/// <summary>
/// LogOptions (<c>Optiks:Log</c>) become the configuration of a new log (docs/spec/records.md section 1). They are read when the first epoch is made and never again:
/// a log's configuration does not change.
/// </summary>
internal sealed class LogOptions
{
    public const string Section = "Optiks:Log";

    /// <summary>Name of the log in checkpoints and of its key: a domain that the operator holds, and a path.</summary>
    [Required]
    [StringLength(255, MinimumLength = 1)]
    public string Origin { get; set; } = "localhost/optiks";

    /// <summary>PeriodLength is the least time between two switches of the period.</summary>
    [Range(typeof(TimeSpan), "00:00:01", "36500.00:00:00")]
    public TimeSpan PeriodLength { get; set; } = TimeSpan.FromDays(90);

    /// <summary>RetainedPeriods is the number of periods whose history and monitoring are served, the current one included.</summary>
    [Range(2, 255)]
    [Setting(Unit = "periods")]
    public int RetainedPeriods { get; set; } = 2;

    /// <summary>MaxKeyLength in octets.</summary>
    [Range(1, ProtocolLimits.MaxKeyLength)]
    [Setting(Unit = SettingAttribute.Octets)]
    public int MaxKeyLength { get; set; } = ProtocolLimits.MaxKeyLength;

    /// <summary>MaxValueLength in octets.</summary>
    [Range(1, ProtocolLimits.MaxValueLength)]
    [Setting(Unit = SettingAttribute.Octets)]
    public int MaxValueLength { get; set; } = ProtocolLimits.DefaultMaxValueLength;

    /// <summary>MaxDevices of a user.</summary>
    [Range(1, ushort.MaxValue)]
    [Setting(Unit = "devices")]
    public int MaxDevices { get; set; } = 256;

    /// <summary>Heartbeat is how long no epoch may be missing: without updates an empty one is made.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "24.00:00:00")]
    public TimeSpan Heartbeat { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>MaxAhead is how far from the future a record may be for its readers.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "24.00:00:00")]
    public TimeSpan MaxAhead { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>MaxBehind is how old the newest record may be for its readers.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "24.00:00:00")]
    public TimeSpan MaxBehind { get; set; } = TimeSpan.FromMinutes(5);

    /// <summary>UsernameForm: octets, or text in one form whatever the case it is typed in (docs/spec/usernames.md).</summary>
    [EnumDataType(typeof(UsernameForm))]
    public UsernameForm UsernameForm { get; set; } = UsernameForm.Octets;

    /// <summary>UsernameReuse: a username may lead to another user once its own has left for good (docs/spec/recycled-names.md), as telephone numbers are given to somebody else.</summary>
    public bool UsernameReuse { get; set; }

    /// <summary>ToConfiguration gives the configuration of a log made with these options.</summary>
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
