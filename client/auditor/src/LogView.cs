using Optiks.Protocol;

namespace Optiks.Auditor;

/// <summary>LogView is what an auditor says of a log at one moment. Immutable.</summary>
internal sealed record LogView
{
    public required AuditedLog Log { get; init; }

    /// <summary>Auditor is the vkey that signs.</summary>
    public required string Auditor { get; init; }

    /// <summary>VerifiedEpoch is the last one; null: none yet.</summary>
    public ulong? VerifiedEpoch { get; init; }

    /// <summary>VerifiedTimeMs of that epoch's record.</summary>
    public ulong VerifiedTimeMs { get; init; }

    /// <summary>Signed is what was signed last; null: nothing yet.</summary>
    public SignedStatement? Signed { get; init; }

    public LogCondition Condition { get; init; } = LogCondition.Starting;

    /// <summary>Description for the operator of the auditor.</summary>
    public string Description { get; init; } = "Nothing was looked at yet.";

    public Finding? Finding { get; init; }

    /// <summary>Refusals of single servers at the last look, where another one's answer verified.</summary>
    public string? Warning { get; init; }

    /// <summary>Fault of this program that ended the last look; null: none did.</summary>
    public Exception? Fault { get; init; }

    /// <summary>ProofOctets of all looks.</summary>
    public long ProofOctets { get; init; }

    /// <summary>PublicDescription is fit for anyone's eyes: what the system says of disks and connections has paths and addresses in it.</summary>
    public string PublicDescription => Condition switch
    {
        LogCondition.Failing when Fault is not null => "A fault of the auditor ended the last look.",
        LogCondition.Failing => "The auditor's files cannot be written.",
        LogCondition.Unreachable => "No server of the log gave an answer.",
        _ => Description,
    };

    public string Origin => Log.TrustAnchor.Configuration.Origin;

    /// <summary>IsCurrent says whether what was signed is no older than the log's max_behind.</summary>
    public bool IsCurrent(DateTimeOffset now) => Condition == LogCondition.Following && Signed is { } signed
        && (ulong)now.ToUnixTimeMilliseconds() <= EpochRecord.Decode(signed.Record).TimeMs + Log.TrustAnchor.Configuration.MaxBehindMs;
}
