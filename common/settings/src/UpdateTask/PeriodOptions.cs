using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.UpdateTask.Options;

/// <summary>PeriodOptions (<c>Optiks:Periods</c>) say when the log goes over to its next period, with fresh secrets (docs/spec/periods.md section 1). They may change at every start.</summary>
internal sealed class PeriodOptions
{
    public const string Section = "Optiks:Periods";

    /// <summary>Automatic: periods follow each other by the clock; otherwise the operator asks for each.</summary>
    /// <value>False.</value>
    public bool Automatic { get; set; }

    /// <summary>Interval is how long a period lasts; not less than the log's own length of periods.</summary>
    /// <value>Null: the log's.</value>
    [Range(typeof(TimeSpan), "00:00:00.001", "36500.00:00:00")]
    public TimeSpan? Interval { get; set; }

    /// <summary>Preparation is how long before its beginning the next period is made.</summary>
    /// <value>One day.</value>
    [Range(typeof(TimeSpan), "00:00:00", "36500.00:00:00")]
    public TimeSpan Preparation { get; set; } = TimeSpan.FromDays(1);

    /// <summary>CopiesPerChunk are made and stored at once: an epoch that is due waits for one chunk at most, and on SQLite whoever accepts an update does too.</summary>
    /// <value>Null: 128 on SQLite, 1,024 elsewhere.</value>
    [Range(1, 65_536)]
    [Setting(Unit = "copies")]
    public int? CopiesPerChunk { get; set; }
}
