namespace Optiks.UpdateService.Accepting;

/// <summary>Lists the results of a caller's unit in the queue.</summary>
internal enum CommitState
{
    /// <summary>The database decided; the result contains the decision.</summary>
    Decided,

    /// <summary>Nothing was stored: the unit waited too long for its commit to begin.</summary>
    Expired,

    /// <summary>The database could not be reached. If it was asked, it is not known whether the unit is stored.</summary>
    Unavailable,

    /// <summary>Nothing was stored: the database is an older copy than the board shows.</summary>
    OlderCopy,

    /// <summary>An unexpected failure, which is logged. It is not known whether the unit is stored.</summary>
    Failed,
}
