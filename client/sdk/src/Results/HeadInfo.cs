namespace Optiks.Client;

/// <summary>The state of the log against which an answer was verified.</summary>
/// <param name="Epoch">Epoch of the record.</param>
/// <param name="Period">Period of the epoch.</param>
/// <param name="Time">Time of the record.</param>
/// <param name="CheckpointSize">The number of log entries that the signed checkpoint covers.</param>
public sealed record HeadInfo(ulong Epoch, ulong Period, DateTimeOffset Time, ulong CheckpointSize)
{
    /// <summary>
    /// Whether enough auditors of the client's policy cover every epoch on which the answer rests (docs/spec/cosigners.md section 4).
    /// </summary>
    /// <value>If false, the answer is valid but not audited yet.</value>
    public bool IsAudited { get; init; }

    /// <summary>
    /// The answers that the client believed and that too few auditors cover although the policy's time limit has passed. They are an alarm
    /// until enough auditors cover them.
    /// </summary>
    public IReadOnlyList<Belief> Overdue { get; init; } = [];
}
