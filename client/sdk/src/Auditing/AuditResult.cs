namespace Optiks.Client;

/// <summary>
/// Reports up to which epoch an auditor verified a log: every record, every step of every tree, the checkpoint and the board's entries.
/// </summary>
public sealed record AuditResult : VerifiedAnswer
{
    internal AuditResult(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>
    /// The first epoch of the coverage. The auditor takes this epoch on trust unless it is 0. Null when the auditor could not verify even
    /// the first record.
    /// </summary>
    public ulong? FirstEpoch { get; init; }

    /// <summary>The last epoch that the auditor verified, in this or an earlier run; null when it has verified no epoch yet.</summary>
    public ulong? Epoch { get; init; }

    /// <summary>
    /// The switches of the period among the epochs from <see cref="FirstEpoch"/> to <see cref="Epoch"/>. At a switch, the trees of devices
    /// and keys began anew, and only the owners can tell whether the new trees hold the right keys. All other steps of these two trees, and
    /// all steps of the other two trees, were verified.
    /// </summary>
    public IReadOnlyList<ulong> Switches { get; init; } = [];

    /// <summary>The number of epochs that this call verified.</summary>
    public ulong VerifiedEpochs { get; init; }

    /// <summary>The epochs whose proof the auditor refused; null when it refused no proof.</summary>
    public (ulong From, ulong To)? FailedRange { get; init; }

    /// <summary>
    /// Whether the log's own signature proves the fault. If so, the files in <see cref="VerifiedAnswer.EvidencePath"/> convince anyone, and
    /// no later answer can disprove the fault.
    /// </summary>
    public bool IsProven { get; init; }

    /// <summary>
    /// The refused answers, at most one per server, in the order in which the auditor asked the servers. If the result is valid, another
    /// server gave an answer that verifies.
    /// </summary>
    public IReadOnlyList<AuditRefusal> Refusals { get; init; } = [];

    /// <summary>
    /// Whether the auditor refused the answer of one server, but another server was merely behind. The server that is behind may still give
    /// an answer that verifies.
    /// </summary>
    public bool IsOpen { get; init; }

    /// <summary>
    /// Whether the newest record is older than the configuration's max_behind: either the log has stopped publishing, or this server hides
    /// epochs.
    /// </summary>
    public bool IsSilent { get; init; }
}
