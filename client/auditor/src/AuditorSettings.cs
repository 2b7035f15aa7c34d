using Optiks.Settings;

namespace Optiks.Auditor;

/// <summary>AuditorSettings say what an auditor follows, and where its files are.</summary>
public sealed record AuditorSettings
{
    /// <summary>DefaultUrl to listen on.</summary>
    public const string DefaultUrl = Programs.AuditorUrl;

    /// <summary>DefaultInterval between two looks at a log.</summary>
    public static readonly TimeSpan DefaultInterval = TimeSpan.FromSeconds(AuditorFile.DefaultIntervalSeconds);

    /// <summary>Logs, of different origins.</summary>
    public required IReadOnlyList<AuditedLog> Logs { get; init; }

    /// <summary>StateFolder with a folder for each log.</summary>
    public required string StateFolder { get; init; }

    /// <summary>MarkFolder with a file for each log, apart from the state and its backups.</summary>
    public required string MarkFolder { get; init; }

    /// <summary>Urls to listen on, separated by semicolons.</summary>
    public string Urls { get; init; } = DefaultUrl;

    /// <summary>Interval between two looks at a log.</summary>
    public TimeSpan Interval { get; init; } = DefaultInterval;

    /// <summary>Webhook that is told what was found; null: none.</summary>
    public Uri? Webhook { get; init; }

    /// <summary>Read reads a configuration file, and which key file it names; null: none. Throws <see cref="StartupException"/>.</summary>
    /// <param name="path">The JSON file (docs/operations/auditors.md).</param>
    /// <param name="state">StateFolder when the file names none.</param>
    /// <param name="mark">MarkFolder when the file names none.</param>
    public static (AuditorSettings Settings, string? KeyFile) Read(string path, string state, string mark) => AuditorFileReader.Read(path, state, mark);

    /// <summary>RefusedPause before a refused answer is asked for again.</summary>
    internal TimeSpan RefusedPause { get; init; } = TimeSpan.FromSeconds(2);
}
