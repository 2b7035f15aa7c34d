namespace Optiks.UpdateTask.Telemetry;

/// <summary>
/// Names the steps into which an epoch's time is divided. The names in lower case are the values of the metric's attribute.
/// </summary>
internal enum EpochStep
{
    /// <summary>Compares the clocks, and the head row with the session's last epoch.</summary>
    Check,

    /// <summary>Reads pending updates.</summary>
    Read,

    /// <summary>Decides expected versions; computes labels and commitments of the new leaves.</summary>
    Labels,

    /// <summary>Makes trees, append proofs and record.</summary>
    Tree,

    /// <summary>Commits the epoch's transaction.</summary>
    Commit,

    /// <summary>Writes bundle and high-water mark.</summary>
    Bundle,

    /// <summary>Makes the log's signature.</summary>
    Sign,

    /// <summary>Stores the signed note.</summary>
    Note,

    /// <summary>Writes the board's tiles.</summary>
    Tiles,

    /// <summary>Writes the board's audit proof.</summary>
    Audit,

    /// <summary>Writes the board's checkpoint.</summary>
    Checkpoint,

    /// <summary>Marks the epoch as published in the database, for its followers.</summary>
    Publish,

    /// <summary>Deletes old requests and bundles.</summary>
    Purge,
}
