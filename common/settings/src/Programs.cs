using Optiks.Secrets;

namespace Optiks.Settings;

/// <summary>
/// Lists all programs with an HTTP server, and the settings that each of them reads. The programs themselves, their help, the reference of
/// settings and <c>optiks-db config check</c> use these lists.
/// </summary>
public static class Programs
{
    /// <summary>The address on which an auditor listens by default.</summary>
    public const string AuditorUrl = "http://127.0.0.1:8341";

    /// <summary>The address on which a witness listens by default.</summary>
    public const string WitnessUrl = "http://127.0.0.1:8331";

    private const string KekMeaning =
        "the key-encryption keys, each 43 characters of base64url or the URI of a key in a token; unset: the file kek in the data folder";

    private const string FailPointMeaning = "for fault tests: ends the process at a named point (docs/operations/fail-points.md)";

    /// <summary>The update-task, which makes epochs.</summary>
    public static ProgramSettings UpdateTask { get; } = new()
    {
        Program = "update-task",
        DefaultUrl = "http://127.0.0.1:8321",
        Purpose =
            "Makes, signs and publishes the epochs. The task that holds the lease does this; others are standbys. Its address answers only health checks.",
        Own =
        [
            SettingsSections.Epochs, SettingsSections.Padding, SettingsSections.Log, SettingsSections.LogKey, SettingsSections.Kek,
            SettingsSections.Periods, SettingsSections.Witnesses, SettingsSections.Bucket,
            SettingsSections.Storage,
        ],
        Variables = new Dictionary<string, string>
        {
            [KeyRing.Variable] = KekMeaning,
            [WrappedLogKey.Variable] = "the log's key, wrapped: the bytes of log.key in base64url; unset: that file in the data folder",
            [FailPoints.Variable] = FailPointMeaning,
        },
        ExitCodes = new Dictionary<int,
            string>
        { [Optiks.ExitCodes.Rollback] = "the database or the board was rolled back: docs/operations/recovery.md" },
    };

    /// <summary>The update-service, which accepts updates.</summary>
    public static ProgramSettings UpdateService { get; } = new()
    {
        Program = "update-service",
        DefaultUrl = "http://127.0.0.1:8311",
        Purpose = "Accepts updates, makes them durable before it answers, and reports what became of them. Any number may run.",
        Own = [SettingsSections.Queue, SettingsSections.Board, SettingsSections.Storage, SettingsSections.ApiReference],
        // The update-service reads only a part of the section `Optiks:Log`; the update-task reads the whole section.
        PartlyRead = [SettingsSections.Limits],
        Variables = new Dictionary<string, string> { [FailPoints.Variable] = FailPointMeaning },
        ExitCodes =
            new Dictionary<int, string> { [Optiks.ExitCodes.Unreachable] = "the database cannot be reached at the start: start it again" },
    };

    /// <summary>The query-service, which answers queries.</summary>
    public static ProgramSettings QueryService { get; } = new()
    {
        Program = "query-service",
        DefaultUrl = "http://127.0.0.1:8301",
        Purpose = "Answers lookups, histories, monitoring and audits from verified epochs, and serves the board. Any number may run.",
        Own = [SettingsSections.Queries, SettingsSections.Kek, SettingsSections.Board, SettingsSections.Storage,
            SettingsSections.ApiReference],
        Variables = new Dictionary<string, string> { [KeyRing.Variable] = KekMeaning },
    };

    /// <summary>The program <c>optiks auditor</c>.</summary>
    public static ProgramSettings Auditor { get; } = new()
    {
        Program = "auditor",
        DefaultUrl = AuditorUrl,
        Purpose = "optiks auditor: verifies every epoch of logs for others, and cosigns their checkpoints.",
    };

    /// <summary>The program <c>optiks witness run</c>.</summary>
    public static ProgramSettings Witness { get; } = new()
    {
        Program = "witness",
        DefaultUrl = WitnessUrl,
        Purpose = "optiks witness run: cosigns the checkpoints of logs as long as each extends the previous one.",
    };

    /// <summary>All programs.</summary>
    public static IReadOnlyList<ProgramSettings> All { get; } = [UpdateTask, UpdateService, QueryService, Auditor, Witness];

    /// <summary>The names of all programs' sections. A program ignores sections of other programs, because programs may share one
    /// configuration.</summary>
    internal static IReadOnlyList<string> SectionNames { get; } =
        [.. All.SelectMany(program => program.Sections).Select(section => section.Path[(SettingsSections.Root.Length + 1)..]).Distinct()
            .Order(StringComparer.Ordinal)];
}
