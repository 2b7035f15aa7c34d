using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.UpdateTask.Options;

/// <summary>PeriodOptions (<c>Optiks:Periods</c>) say when the next period begins, with fresh secrets (docs/spec/periods.md section 1). They may change at every start.</summary>
internal sealed class PeriodOptions
{
    public const string Section = "Optiks:Periods";

    /// <summary>Automatic: the task begins each period when the one before it has lasted for Interval. If false, it waits for <c>optiks-db period switch</c>.</summary>
    /// <value>True: without switches the database grows for ever and the secrets behind the labels never change.</value>
    public bool Automatic { get; set; } = true;

    /// <summary>Interval is how long a period lasts where switches are automatic; at least the log's <c>PeriodLength</c>.</summary>
    /// <value>Null: the log's <c>PeriodLength</c>.</value>
    [Range(typeof(TimeSpan), "00:00:00.001", "36500.00:00:00")]
    public TimeSpan? Interval { get; set; }

    /// <summary>Preparation is how long before an automatic switch the task starts to make the next period.</summary>
    /// <value>One day.</value>
    [Range(typeof(TimeSpan), "00:00:00", "36500.00:00:00")]
    public TimeSpan Preparation { get; set; } = TimeSpan.FromDays(1);

    /// <summary>CopiesPerChunk are made and stored at once: an epoch that is due waits for one chunk at most, and on SQLite whoever accepts an update does too.</summary>
    /// <value>Null: 128 on SQLite, 1,024 elsewhere.</value>
    [Range(1, 65_536)]
    [Setting(Unit = "copies")]
    public int? CopiesPerChunk { get; set; }
}
