namespace Optiks.Client;

/// <summary>Says which state of the log an answer was verified against.</summary>
/// <param name="Epoch">Epoch of the record.</param>
/// <param name="Period">Its period.</param>
/// <param name="Time">Time of the record.</param>
/// <param name="CheckpointSize">Entries of the log that the signed checkpoint covers.</param>
public sealed record HeadInfo(ulong Epoch, ulong Period, DateTimeOffset Time, ulong CheckpointSize)
{
    /// <summary>
    /// Whether enough auditors of the client's policy cover every epoch on which the answer rests (docs/spec/cosigners.md section 4).
    /// </summary>
    /// <value>false: the answer is valid, not yet audited.</value>
    public bool IsAudited { get; init; }

    /// <summary>The beliefs that are older than the policy allows for auditing, and still not covered: an alarm, until they are.</summary>
    public IReadOnlyList<Belief> Overdue { get; init; } = [];
}
