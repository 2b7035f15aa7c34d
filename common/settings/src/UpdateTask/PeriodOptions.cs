using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.UpdateTask.Options;

/// <summary>
/// Configures when the next period begins, with new secrets (<c>Optiks:Periods</c>; docs/spec/periods.md section 1). The settings may
/// change at every start.
/// </summary>
internal sealed class PeriodOptions
{
    public const string Section = "Optiks:Periods";

    /// <summary>
    /// Whether the task begins each period when the one before it has lasted for Interval. If false, it waits for <c>optiks-db period
    /// switch</c>.
    /// </summary>
    /// <value>True: without switches the database grows forever and the secrets behind the labels never change.</value>
    public bool Automatic { get; set; } = true;

    /// <summary>How long a period lasts with automatic switches; at least the log's <c>PeriodLength</c>.</summary>
    /// <value>Null: the log's <c>PeriodLength</c>.</value>
    [Range(typeof(TimeSpan), "00:00:00.001", "36500.00:00:00")]
    public TimeSpan? Interval { get; set; }

    /// <summary>How long before an automatic switch the task starts to prepare the next period.</summary>
    /// <value>One day.</value>
    [Range(typeof(TimeSpan), "00:00:00", "36500.00:00:00")]
    public TimeSpan Preparation { get; set; } = TimeSpan.FromDays(1);

    /// <summary>
    /// The number of copies that are made and stored at once. An epoch that is due waits for at most one chunk, and on SQLite so does an
    /// update before it is accepted.
    /// </summary>
    /// <value>Null: 128 on SQLite, 1,024 elsewhere.</value>
    [Range(1, 65_536)]
    [Setting(Unit = "copies")]
    public int? CopiesPerChunk { get; set; }
}
