namespace Optiks.UpdateService.Accepting;

/// <summary>Lists the results of a caller's unit in the queue.</summary>
internal enum CommitState
{
    /// <summary>The database decided about the unit; <see cref="CommitOutcome.Result"/> has the decision.</summary>
    Decided,

    /// <summary>Nothing was stored, because the unit waited too long for its commit to begin.</summary>
    Expired,

    /// <summary>
    /// The database could not be reached. If the service had already sent the unit, it does not know whether the unit is stored.
    /// </summary>
    Unavailable,

    /// <summary>Nothing was stored, because the database is an older copy, as the board shows.</summary>
    OlderCopy,

    /// <summary>An unexpected failure happened, which the service logged. The service does not know whether the unit is stored.</summary>
    Failed,
}
