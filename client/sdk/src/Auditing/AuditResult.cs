namespace Optiks.Client;

/// <summary>AuditResult says how far a log was verified: every record, every step of every tree, the checkpoint and the board's entries.</summary>
public sealed record AuditResult : VerifiedAnswer
{
    internal AuditResult(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>FirstEpoch of the coverage: taken on trust unless 0. Null when not even the first record could be verified.</summary>
    public ulong? FirstEpoch { get; init; }

    /// <summary>Epoch that was verified last, in this or an earlier run; null when there is none.</summary>
    public ulong? Epoch { get; init; }

    /// <summary>
    /// Switches of the period from FirstEpoch to Epoch: at these epochs the trees of devices and keys began anew, and nobody but the owners can tell with what. All other
    /// steps of theirs, and all of the other two trees, were verified.
    /// </summary>
    public IReadOnlyList<ulong> Switches { get; init; } = [];

    /// <summary>VerifiedEpochs in this call.</summary>
    public ulong VerifiedEpochs { get; init; }

    /// <summary>FailedRange of epochs whose proof was refused; null when it was something else, or nothing.</summary>
    public (ulong From, ulong To)? FailedRange { get; init; }

    /// <summary>IsProven says that the log's own signature shows what is wrong: <see cref="VerifiedAnswer.EvidencePath"/> convinces anyone, and no later answer mends it.</summary>
    public bool IsProven { get; init; }

    /// <summary>Refusals of answers, one a server at most, in the order in which they were asked. With a valid result another server gave what verifies.</summary>
    public IReadOnlyList<AuditRefusal> Refusals { get; init; } = [];

    /// <summary>IsOpen says of a refusal that another server was behind, and may yet give what verifies.</summary>
    public bool IsOpen { get; init; }

    /// <summary>IsSilent: the newest record is older than the configuration's max_behind, so the log has stopped publishing or this server hides epochs.</summary>
    public bool IsSilent { get; init; }
}
