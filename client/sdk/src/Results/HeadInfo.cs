namespace Optiks.Client;

/// <summary>HeadInfo says which state of the log an answer was verified against.</summary>
/// <param name="Epoch">Epoch of the record.</param>
/// <param name="Period">Its period.</param>
/// <param name="Time">Time of the record.</param>
/// <param name="CheckpointSize">Entries of the log that the signed checkpoint covers.</param>
public sealed record HeadInfo(ulong Epoch, ulong Period, DateTimeOffset Time, ulong CheckpointSize)
{
    /// <summary>IsAudited: enough auditors of the client's policy cover every epoch that the answer rests on (docs/spec/cosigners.md section 4).</summary>
    /// <value>false: the answer is valid, not yet audited.</value>
    public bool IsAudited { get; init; }

    /// <summary>Overdue is what was believed unaudited longer ago than the policy allows, and is still not covered: an alarm, until it is.</summary>
    public IReadOnlyList<Belief> Overdue { get; init; } = [];
}
