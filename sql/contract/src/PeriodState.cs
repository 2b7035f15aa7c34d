namespace Optiks.Storage;

/// <summary>
/// The state of a period. The numbers are stored and never change their meaning. A period's state only grows, and the states of a log's
/// periods, oldest first, never increase.
/// </summary>
public enum PeriodState
{
    /// <summary>The period's secrets exist and its copies are being staged. No record names the period yet.</summary>
    Next = 1,

    /// <summary>The update-task makes its epochs in the period.</summary>
    Current = 2,

    /// <summary>The following period has begun. The period is served at its last epoch.</summary>
    Ended = 3,

    /// <summary>The period is no longer served, and everything that can make its proofs is being destroyed.</summary>
    Destroying = 4,

    /// <summary>The period has no secrets and no openings of copies.</summary>
    Destroyed = 5,
}
