using Optiks.Protocol;

namespace Optiks.Auditor;

/// <summary>
/// The first fault that an auditor found in a log, after which it signs no more statements about this log (docs/spec/auditing.md section
/// 3).
/// </summary>
/// <param name="Reason">Name of the check that failed, as in docs/spec/reasons.md.</param>
/// <param name="FoundAtMs">Time at which the auditor found the fault, in milliseconds of Unix time.</param>
/// <param name="IsProven">Whether the log's own signature proves the fault to anyone.</param>
/// <param name="EvidencePath">Folder with the evidence.</param>
/// <param name="Detail">Details in addition to the reason; null if there are no details.</param>
/// <param name="From">Epoch before the step that failed; null when no step failed.</param>
/// <param name="To">Last epoch of the step that failed.</param>
/// <param name="IsAlerted">Whether the webhook accepted the finding.</param>
public sealed record Finding(
    string Reason, long FoundAtMs, bool IsProven, string EvidencePath, string? Detail = null, ulong? From = null, ulong? To = null,
    bool IsAlerted = false)
{
    /// <summary>Whether the finding is a fork: the log has two histories.</summary>
    public bool IsFork => Reason == ReasonExtensions.Name(Protocol.Reason.Fork);

    /// <summary>Describes the finding in one sentence, for people.</summary>
    public string Sentence =>
        IsFork ? "The log signed two views that cannot both be true."
        : IsProven ? $"The log signed a record of epoch {To} that breaks a rule: {Reason}."
        : To is { } to ? $"No server proves the step from epoch {From} to {to}: {Reason}."
        : $"No server's answer verifies: {Reason}.";
}
