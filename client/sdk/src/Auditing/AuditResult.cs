namespace Optiks.Client;

/// <summary>Says how far a log was verified: every record, every step of every tree, the checkpoint and the board's entries.</summary>
public sealed record AuditResult : VerifiedAnswer
{
    internal AuditResult(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>The first epoch of the coverage: taken on trust unless 0. Null when not even the first record could be verified.</summary>
    public ulong? FirstEpoch { get; init; }

    /// <summary>The epoch that was verified last, in this or an earlier run; null when no epoch was verified yet.</summary>
    public ulong? Epoch { get; init; }

    /// <summary>
    /// Switches of the period from <see cref="FirstEpoch"/> to <see cref="Epoch"/>. At these epochs the trees of devices and keys began
    /// anew, and only the owners can tell whether the new ones hold the right keys. All other steps of these two trees, and all steps of
    /// the other two trees, were verified.
    /// </summary>
    public IReadOnlyList<ulong> Switches { get; init; } = [];

    /// <summary>The number of epochs that this call verified.</summary>
    public ulong VerifiedEpochs { get; init; }

    /// <summary>The epochs whose proof was refused; null when no proof was refused.</summary>
    public (ulong From, ulong To)? FailedRange { get; init; }

    /// <summary>
    /// Whether the log's own signature proves the fault: <see cref="VerifiedAnswer.EvidencePath"/> convinces anyone, and no later answer
    /// can repair it.
    /// </summary>
    public bool IsProven { get; init; }

    /// <summary>
    /// Refused answers, at most one per server, in the order in which the servers were asked. If the result is valid, another server gave
    /// an answer that verifies.
    /// </summary>
    public IReadOnlyList<AuditRefusal> Refusals { get; init; } = [];

    /// <summary>Whether, after a refusal, another server was only behind and may still give an answer that verifies.</summary>
    public bool IsOpen { get; init; }

    /// <summary>
    /// Whether the newest record is older than the configuration's max_behind: the log has stopped publishing, or this server hides epochs.
    /// </summary>
    public bool IsSilent { get; init; }
}
