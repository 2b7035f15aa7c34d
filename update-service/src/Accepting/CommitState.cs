namespace Optiks.UpdateService.Accepting;

/// <summary>Lists the results of a caller's unit in the queue.</summary>
internal enum CommitState
{
    /// <summary>The database decided about the unit; the result contains the decision.</summary>
    Decided,

    /// <summary>Nothing was stored: the unit waited too long for its commit to begin.</summary>
    Expired,

    /// <summary>
    /// The database could not be reached. If the service had asked it, the service does not know whether the unit is stored.
    /// </summary>
    Unavailable,

    /// <summary>Nothing was stored: the database is an older copy than the board shows.</summary>
    OlderCopy,

    /// <summary>An unexpected failure happened, which is logged. The service does not know whether the unit is stored.</summary>
    Failed,
}
