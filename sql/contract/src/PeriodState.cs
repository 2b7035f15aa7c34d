namespace Optiks.Storage;

/// <summary>What a time period has come to. Numbers are stored, never change their meaning, and only grow: a log's periods, oldest first, have states that never do.</summary>
public enum PeriodState
{
    /// <summary>Next: its secrets are there and its copies are being staged. No record names it.</summary>
    Next = 1,

    /// <summary>Current: epochs are made in it.</summary>
    Current = 2,

    /// <summary>Ended: the one after it has begun. It is served at its last epoch.</summary>
    Ended = 3,

    /// <summary>Destroying: it is not served any more, and what proves in it is being destroyed.</summary>
    Destroying = 4,

    /// <summary>Destroyed: it has no secrets, and no openings of copies.</summary>
    Destroyed = 5,
}
