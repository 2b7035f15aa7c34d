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

    /// <summary>The policy file (tlog-policy): the witnesses with their URLs, and the quorum.</summary>
    /// <value>Empty: no witness is asked.</value>
    [Setting(File = SettingFile.Policy)]
    public string PolicyFile { get; set; } = "";

    /// <summary>
    /// Whether a checkpoint is published and served only once the policy's quorum has cosigned it. Epochs are made anyway.
    /// </summary>
    /// <value>False: it is published as soon as it is signed, and cosignatures come later.</value>
    public bool Require { get; set; }

    /// <summary>How long one request to a witness may take.</summary>
    /// <value>10 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00.100", "00:05:00")]
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>The wait after a failed request, before the newest checkpoint is sent.</summary>
    /// <value>5 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00.100", "01:00:00")]
    public TimeSpan RetryAfter { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long the newest checkpoint with enough cosignatures may be behind the published one before health reports that the quorum is
    /// missing.
    /// </summary>
    /// <value>1 minute.</value>
    [Range(typeof(TimeSpan), "00:00:01", "1.00:00:00")]
    public TimeSpan QuorumGrace { get; set; } = TimeSpan.FromMinutes(1);
}
