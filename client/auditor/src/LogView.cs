using Optiks.Protocol;

namespace Optiks.Auditor;

/// <summary>An auditor's signed statement, progress and condition for a log at one time. Immutable.</summary>
internal sealed record LogView
{
    public required AuditedLog Log { get; init; }

    /// <summary>The vkey of the key with which the auditor signs.</summary>
    public required string Auditor { get; init; }

    /// <summary>The last verified epoch; null if no epoch was verified yet.</summary>
    public ulong? VerifiedEpoch { get; init; }

    /// <summary>The time of the record of <see cref="VerifiedEpoch"/>, in Unix milliseconds.</summary>
    public ulong VerifiedTimeMs { get; init; }

    /// <summary>The statement that the auditor signed last; null before its first statement.</summary>
    public SignedStatement? Signed { get; init; }

    public LogCondition Condition { get; init; } = LogCondition.Starting;

    /// <summary>The description of the condition for the operator of the auditor.</summary>
    public string Description { get; init; } = "Nothing was looked at yet.";

    public Finding? Finding { get; init; }

    /// <summary>
    /// Describes the answers that the auditor refused at its last look at the log, if another server's answer verified. Null if the auditor
    /// refused no answer.
    /// </summary>
    public string? Warning { get; init; }

    /// <summary>The fault of this program that ended the last look at the log; null if there was no fault.</summary>
    public Exception? Fault { get; init; }

    /// <summary>The number of octets of all proofs that the auditor has read since it started.</summary>
    public long ProofOctets { get; init; }

    /// <summary>
    /// A description that anyone may see. It omits the system's messages about disks and connections, which contain paths and addresses.
    /// </summary>
    public string PublicDescription => Condition switch
    {
        LogCondition.Failing when Fault is not null => "A fault of the auditor ended the last look.",
        LogCondition.Failing => "The auditor's files cannot be written.",
        LogCondition.Unreachable => "No server of the log gave an answer.",
        _ => Description,
    };

    public string Origin => Log.TrustAnchor.Configuration.Origin;

    /// <summary>
    /// Tells whether the auditor follows the log, and the record of the last signed epoch is no older than the log's <c>max_behind</c>.
    /// </summary>
    public bool IsCurrent(DateTimeOffset now) => Condition == LogCondition.Following && Signed is { } signed
        && (ulong)now.ToUnixTimeMilliseconds() <= EpochRecord.Decode(signed.Record).TimeMs + Log.TrustAnchor.Configuration.MaxBehindMs;
}
