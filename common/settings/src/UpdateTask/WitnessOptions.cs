using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.UpdateTask.Options;

/// <summary>WitnessOptions (<c>Optiks:Witnesses</c>) say who is asked to cosign the log's checkpoints (docs/operations/witnesses.md). They may change at every start.</summary>
internal sealed class WitnessOptions
{
    public const string Section = "Optiks:Witnesses";

    /// <summary>Policy file (tlog-policy): the witnesses with their URLs, and whose cosignatures are enough.</summary>
    /// <value>Empty: nobody is asked.</value>
    [Setting(File = SettingFile.Policy)]
    public string PolicyFile { get; set; } = "";

    /// <summary>Require: a checkpoint is published, and served, only once the policy's quorum has cosigned it. Epochs are made all the same.</summary>
    /// <value>False: it is published as soon as it is signed, and cosignatures come later.</value>
    public bool Require { get; set; }

    /// <summary>How long one request to a witness may take.</summary>
    /// <value>10 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00.100", "00:05:00")]
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>How long to wait after a request that failed, before the newest checkpoint is sent.</summary>
    /// <value>5 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00.100", "01:00:00")]
    public TimeSpan RetryAfter { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>How long the newest checkpoint with enough cosignatures may be behind the published one before health says that the quorum is missing.</summary>
    /// <value>1 minute.</value>
    [Range(typeof(TimeSpan), "00:00:01", "1.00:00:00")]
    public TimeSpan QuorumGrace { get; set; } = TimeSpan.FromMinutes(1);
}
