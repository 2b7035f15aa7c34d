using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.Auditor;

/// <summary>Configures an auditor that follows several logs, in a JSON file. Relative paths begin at the file's folder.</summary>
internal sealed record AuditorFile
{
    /// <summary>The shortest interval between two polls of a log, in seconds.</summary>
    public const int MinIntervalSeconds = 1;

    /// <summary>The default interval between two polls of a log, in seconds.</summary>
    public const int DefaultIntervalSeconds = 5;

    /// <summary>The file with the auditor's key, which <c>optiks auditor init</c> makes.</summary>
    /// <value>Empty: the key is in the environment variable OPTIKS_AUDITOR_KEY.</value>
    [Setting(File = SettingFile.Secret)]
    public string? KeyFile { get; init; }

    /// <summary>The state folder, which records how far each log is verified, and the signed checkpoints.</summary>
    /// <value>Empty: <c>auditor</c> in the data folder.</value>
    public string? State { get; init; }

    /// <summary>The mark folder, on another disk than the state and in no backup.</summary>
    /// <value>Empty: <c>auditor-mark</c> in the data folder.</value>
    public string? Mark { get; init; }

    /// <summary>The URLs to listen on, separated by semicolons.</summary>
    /// <value>Empty: http://127.0.0.1:8341.</value>
    public string? Urls { get; init; }

    /// <summary>The interval between two polls of a log.</summary>
    /// <value>Empty: 5.</value>
    [Setting(Unit = "seconds")]
    [Range(MinIntervalSeconds, int.MaxValue)]
    public int? IntervalSeconds { get; init; }

    /// <summary>The webhook that receives findings, an address of http or https.</summary>
    /// <value>Empty: findings appear only in the log and on the page.</value>
    public string? Webhook { get; init; }

    /// <summary>The logs to follow, at least one.</summary>
    public required LogEntry[] Logs { get; init; }

    /// <summary>Describes one log.</summary>
    public sealed record LogEntry
    {
        /// <summary>The log's trust anchor, obtained in another way than from the log's servers. Required.</summary>
        [Setting(File = SettingFile.Public)]
        public required string Trust { get; init; }

        /// <summary>The addresses of the log's query-services, at least one.</summary>
        public required string[] QueryUrls { get; init; }

        /// <summary>The first epoch of the coverage, which never changes; unless it is 0, its record is taken on trust.</summary>
        [Setting(Unit = "epochs")]
        public ulong FirstEpoch { get; init; }
    }
}
