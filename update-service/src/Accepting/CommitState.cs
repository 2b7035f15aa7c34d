namespace Optiks.UpdateService.Accepting;

/// <summary>CommitState is what became of a caller's unit in the queue.</summary>
internal enum CommitState
{
    /// <summary>The database decided; the result says how.</summary>
    Decided,

    /// <summary>Nothing was stored: the unit waited too long for its commit to begin.</summary>
    Expired,

    /// <summary>The database could not be reached: whether the unit is stored is not known, unless the database was not asked.</summary>
    Unavailable,

    /// <summary>Nothing was stored: the database is an older copy than the board knows.</summary>
    OlderCopy,

    /// <summary>Something failed that should not; it is logged. Whether the unit is stored is not known.</summary>
    Failed,
}
