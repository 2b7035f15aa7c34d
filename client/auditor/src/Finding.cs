using Optiks.Protocol;

namespace Optiks.Auditor;

/// <summary>Finding is the first thing that was wrong with a log: nothing is signed of it any more (docs/spec/auditing.md section 3).</summary>
/// <param name="Reason">Name of the check that failed, as docs/spec/reasons.md has it.</param>
/// <param name="FoundAtMs">When, in Unix time.</param>
/// <param name="IsProven">Whether the log's own signature shows it.</param>
/// <param name="EvidencePath">Folder with what shows it.</param>
/// <param name="Detail">What the reason alone does not tell; null: nothing.</param>
/// <param name="From">Epoch before the step that failed; null when it was no step.</param>
/// <param name="To">Last epoch of the step that failed.</param>
/// <param name="IsAlerted">Whether the webhook took it.</param>
public sealed record Finding(
    string Reason, long FoundAtMs, bool IsProven, string EvidencePath, string? Detail = null, ulong? From = null, ulong? To = null, bool IsAlerted = false)
{
    /// <summary>IsFork says whether the log has two histories.</summary>
    public bool IsFork => Reason == ReasonExtensions.Name(Protocol.Reason.Fork);

    /// <summary>Sentence for people.</summary>
    public string Sentence =>
        IsFork ? "The log signed two views that cannot both be true."
        : IsProven ? $"The log signed a record of epoch {To} that breaks a rule: {Reason}."
        : To is { } to ? $"No server proves the step from epoch {From} to {to}: {Reason}."
        : $"No server's answer verifies: {Reason}.";
}
