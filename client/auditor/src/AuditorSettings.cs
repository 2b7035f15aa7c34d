using Optiks.Settings;

namespace Optiks.Auditor;

/// <summary>Says which logs an auditor follows, and where the auditor stores its files.</summary>
public sealed record AuditorSettings
{
    /// <summary>The default URL on which the auditor listens.</summary>
    public const string DefaultUrl = Programs.AuditorUrl;

    /// <summary>
    /// The default interval between two looks at a log. At each look the auditor verifies and signs the log's new epochs.
    /// </summary>
    public static readonly TimeSpan DefaultInterval = TimeSpan.FromSeconds(AuditorFile.DefaultIntervalSeconds);

    /// <summary>The logs, each with a different origin.</summary>
    public required IReadOnlyList<AuditedLog> Logs { get; init; }

    /// <summary>The state folder, which has a folder for each log.</summary>
    public required string StateFolder { get; init; }

    /// <summary>The folder with one mark file per log. It must be separate from the state folder and from backups of the state.</summary>
    public required string MarkFolder { get; init; }

    /// <summary>The URLs on which the auditor listens, separated by semicolons.</summary>
    public string Urls { get; init; } = DefaultUrl;

    /// <summary>The interval between two looks at a log. At each look the auditor verifies and signs the log's new epochs.</summary>
    public TimeSpan Interval { get; init; } = DefaultInterval;

    /// <summary>The webhook to which the auditor sends findings; null for no webhook.</summary>
    public Uri? Webhook { get; init; }

    /// <summary>
    /// Reads a configuration file. Returns the settings and the name of the key file; the name is null if the configuration names no key
    /// file. Throws <see cref="StartupException"/> if the file is invalid.
    /// </summary>
    /// <param name="path">The JSON file (docs/operations/auditors.md).</param>
    /// <param name="state">The <see cref="StateFolder"/> to use when the file names no state folder.</param>
    /// <param name="mark">The <see cref="MarkFolder"/> to use when the file names no mark folder.</param>
    public static (AuditorSettings Settings, string? KeyFile) Read(string path, string state, string mark) =>
        AuditorFileReader.Read(path, state, mark);

    /// <summary>The pause before the auditor asks again after a refused answer.</summary>
    internal TimeSpan RefusedPause { get; init; } = TimeSpan.FromSeconds(2);
}
