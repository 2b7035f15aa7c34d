using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.Auditor;

/// <summary>Configures an auditor that follows several logs. The settings are in a JSON file, and relative paths in it begin at the file's
/// folder.</summary>
internal sealed record AuditorFile
{
    /// <summary>The shortest interval between two polls of a log, in seconds.</summary>
    public const int MinIntervalSeconds = 1;

    /// <summary>The default interval between two polls of a log, in seconds.</summary>
    public const int DefaultIntervalSeconds = 5;

    /// <summary>The file with the auditor's key, which <c>optiks auditor init</c> makes. If the setting is empty, the key is in the
    /// environment variable OPTIKS_AUDITOR_KEY.</summary>
    /// <value>The default is empty.</value>
    [Setting(File = SettingFile.Secret)]
    public string? KeyFile { get; init; }

    /// <summary>The state folder, which records how far each log is verified, and the signed checkpoints. If the setting is empty, the
    /// folder is <c>auditor</c> in the data folder.</summary>
    /// <value>The default is empty.</value>
    public string? State { get; init; }

    /// <summary>The mark folder. Put it on another disk than the state folder, and leave it out of backups. If the setting is empty, the
    /// folder is <c>auditor-mark</c> in the data folder.</summary>
    /// <value>The default is empty.</value>
    public string? Mark { get; init; }

    /// <summary>The URLs on which the auditor listens, separated by semicolons. If the setting is empty, the auditor listens on
    /// http://127.0.0.1:8341.</summary>
    /// <value>The default is empty.</value>
    public string? Urls { get; init; }

    /// <summary>The interval between two polls of a log. If the setting is empty, the interval is 5 seconds.</summary>
    /// <value>The default is empty.</value>
    [Setting(Unit = "seconds")]
    [Range(MinIntervalSeconds, int.MaxValue)]
    public int? IntervalSeconds { get; init; }

    /// <summary>The http or https address of a webhook that receives findings. If the setting is empty, findings appear only in the
    /// auditor's log output and on its page.</summary>
    /// <value>The default is empty.</value>
    public string? Webhook { get; init; }

    /// <summary>The logs to follow, at least one.</summary>
    public required LogEntry[] Logs { get; init; }

    /// <summary>Describes one log that the auditor follows.</summary>
    public sealed record LogEntry
    {
        /// <summary>The file with the log's trust anchor, which must not come from the log's servers. This setting is required.</summary>
        [Setting(File = SettingFile.Public)]
        public required string Trust { get; init; }

        /// <summary>The addresses of the log's query-services, at least one.</summary>
        public required string[] QueryUrls { get; init; }

        /// <summary>
        /// The first epoch that the auditor covers. It must never change. If it is not 0, the auditor trusts the record of this epoch
        /// without verifying it.
        /// </summary>
        [Setting(Unit = "epochs")]
        public ulong FirstEpoch { get; init; }
    }
}
