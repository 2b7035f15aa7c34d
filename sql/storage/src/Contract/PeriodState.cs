namespace Optiks.Storage;

/// <summary>
/// The state of a period. The numbers are stored and never change their meaning. The state of a period only moves to higher numbers, and a
/// later period never has a higher number than an earlier one.
/// </summary>
public enum PeriodState
{
    /// <summary>The period's secrets exist and its copies are being staged. No record names the period yet.</summary>
    Next = 1,

    /// <summary>The update-task makes new epochs in this period.</summary>
    Current = 2,

    /// <summary>The next period has begun. The query-service still serves this period, at its last epoch.</summary>
    Ended = 3,

    /// <summary>The period is no longer served, and the update-task is destroying all data from which its proofs can be made.</summary>
    Destroying = 4,

    /// <summary>The period no longer has secrets, openings, keys or values.</summary>
    Destroyed = 5,
}
