using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.UpdateTask.Options;

/// <summary>
/// Configures when the next period begins, which has new secrets (<c>Optiks:Periods</c>; docs/spec/periods.md section 1). The settings may
/// change at every start.
/// </summary>
internal sealed class PeriodOptions
{
    public const string Section = "Optiks:Periods";

    /// <summary>
    /// Whether the task begins the next period when the current period has lasted for <c>Interval</c>. If not, it waits for <c>optiks-db
    /// period switch</c>. Without switches, the database grows forever, and the secrets from which labels are made never change.
    /// </summary>
    /// <value>The default is true.</value>
    public bool Automatic { get; set; } = true;

    /// <summary>The length of a period with automatic switches, which must be at least the log's <c>PeriodLength</c>. If the setting is
    /// empty, the length is the log's <c>PeriodLength</c>.</summary>
    /// <value>The default is null.</value>
    [Range(typeof(TimeSpan), "00:00:00.001", "36500.00:00:00")]
    public TimeSpan? Interval { get; set; }

    /// <summary>The time before an automatic switch at which the task starts to prepare the next period.</summary>
    /// <value>The default is one day.</value>
    [Range(typeof(TimeSpan), "00:00:00", "36500.00:00:00")]
    public TimeSpan Preparation { get; set; } = TimeSpan.FromDays(1);

    /// <summary>
    /// The number of copies that the task makes and stores at once, in one chunk. An epoch that is due waits for at most one chunk. On
    /// SQLite, an update also waits for at most one chunk before it is accepted. If the setting is empty, the number is 128 on SQLite and
    /// 1,024 on other engines.
    /// </summary>
    /// <value>The default is null.</value>
    [Range(1, 65_536)]
    [Setting(Unit = "copies")]
    public int? CopiesPerChunk { get; set; }
}
