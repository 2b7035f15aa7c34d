using System.ComponentModel.DataAnnotations;

namespace Optiks.UpdateTask.Options;

/// <summary>PeriodOptions (<c>Optiks:Periods</c>) say when the log goes over to its next period, with fresh secrets (docs/spec/periods.md section 1). They may change at every start.</summary>
internal sealed class PeriodOptions
{
    public const string Section = "Optiks:Periods";

    /// <summary>TryVariable of the environment, which tests set: query-services do not serve periods that ended, without which no owner can make the hand-over.</summary>
    public const string TryVariable = "OPTIKS_TRY_PERIODS";

    /// <summary>NotYet says so.</summary>
    public const string NotYet = $"{Section}:{nameof(Automatic)} is not for a log that anyone uses: query-services do not serve periods that ended yet. Tests set {TryVariable}=1.";

    /// <summary>AreTried: <see cref="TryVariable"/> is set.</summary>
    public static bool AreTried => Environment.GetEnvironmentVariable(TryVariable) == "1";

    /// <summary>Automatic: periods follow each other by the clock. Refused for now, but in tests.</summary>
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

    /// <summary>CopiesPerChunk are made and stored at once: an epoch that is due waits for one chunk at most.</summary>
    /// <value>1,024.</value>
    [Range(1, 65_536)]
    public int CopiesPerChunk { get; set; } = 1024;
}
