using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.UpdateTask.Options;

/// <summary>
/// Configures which witnesses cosign the log's checkpoints (<c>Optiks:Witnesses</c>; docs/operations/witnesses.md). The settings may change
/// at every start.
/// </summary>
internal sealed class WitnessOptions
{
    public const string Section = "Optiks:Witnesses";

    /// <summary>The policy file (tlog-policy), which lists the witnesses with their URLs, and the quorum. If the setting is empty, the task
    /// asks no witnesses.</summary>
    /// <value>The default is empty.</value>
    [Setting(File = SettingFile.Policy)]
    public string PolicyFile { get; set; } = "";

    /// <summary>
    /// Whether a checkpoint is published and served only after the policy's quorum has cosigned it. If not, a checkpoint is published as
    /// soon as it is signed, and cosignatures are added later. The task makes epochs in both cases.
    /// </summary>
    /// <value>The default is false.</value>
    public bool Require { get; set; }

    /// <summary>The time limit for one request to a witness.</summary>
    /// <value>The default is 10 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00.100", "00:05:00")]
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>The time for which the task waits after a failed request to a witness, before it sends the newest checkpoint.</summary>
    /// <value>The default is 5 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00.100", "01:00:00")]
    public TimeSpan RetryAfter { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The time for which the newest checkpoint with enough cosignatures may be behind the published checkpoint. After this time, the
    /// health check reports that the quorum is missing.
    /// </summary>
    /// <value>The default is 1 minute.</value>
    [Range(typeof(TimeSpan), "00:00:01", "1.00:00:00")]
    public TimeSpan QuorumGrace { get; set; } = TimeSpan.FromMinutes(1);
}
