using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.Auditor;

/// <summary>AuditorFile is the configuration of an auditor that follows several logs: a JSON file. Relative paths are taken from the file's folder.</summary>
internal sealed record AuditorFile
{
    /// <summary>MinIntervalSeconds between two looks at a log.</summary>
    public const int MinIntervalSeconds = 1;

    /// <summary>DefaultIntervalSeconds between two looks at a log.</summary>
    public const int DefaultIntervalSeconds = 5;

    /// <summary>KeyFile is the auditor's key, which <c>optiks auditor init</c> makes.</summary>
    /// <value>Empty: the key is in OPTIKS_AUDITOR_KEY of the environment.</value>
    [Setting(File = SettingFile.Secret)]
    public string? KeyFile { get; init; }

    /// <summary>State folder: how far each log is verified, and what was signed.</summary>
    /// <value>Empty: <c>auditor</c> in the data folder.</value>
    public string? State { get; init; }

    /// <summary>Mark folder, on another disk than the state and in no backup.</summary>
    /// <value>Empty: <c>auditor-mark</c> in the data folder.</value>
    public string? Mark { get; init; }

    /// <summary>Urls to listen on, separated by semicolons.</summary>
    /// <value>Empty: http://127.0.0.1:8341.</value>
    public string? Urls { get; init; }

    /// <summary>IntervalSeconds between two looks at a log.</summary>
    /// <value>Empty: 5.</value>
    [Setting(Unit = "seconds")]
    [Range(MinIntervalSeconds, int.MaxValue)]
    public int? IntervalSeconds { get; init; }

    /// <summary>Webhook that is told what was found, an address of http or https.</summary>
    /// <value>Empty: nobody is told but the log and the page.</value>
    public string? Webhook { get; init; }

    /// <summary>Logs that are followed, at least one.</summary>
    public required LogEntry[] Logs { get; init; }

    /// <summary>LogEntry is one log.</summary>
    public sealed record LogEntry
    {
        /// <summary>Trust is the log's trust anchor, brought another way than from its servers. Needed.</summary>
        [Setting(File = SettingFile.Public)]
        public required string Trust { get; init; }

        /// <summary>QueryUrls are addresses of the log's query-services, at least one.</summary>
        public required string[] QueryUrls { get; init; }

        /// <summary>FirstEpoch of the coverage, for good; unless 0, its record is taken on trust.</summary>
        [Setting(Unit = "epochs")]
        public ulong FirstEpoch { get; init; }
    }
}
