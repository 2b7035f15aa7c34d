namespace Optiks.UpdateTask.Telemetry;

/// <summary>
/// Lists the steps into which the time of an epoch is divided. Their names in lower case are the values of the attribute <c>optiks.step</c>
/// in the metric of step durations.
/// </summary>
internal enum EpochStep
{
    /// <summary>Compares the clocks, and compares the database's head row with the session's last epoch.</summary>
    Check,

    /// <summary>Reads pending updates.</summary>
    Read,

    /// <summary>Decides the requests, and computes the labels and commitments of the new leaves.</summary>
    Labels,

    /// <summary>Makes the epoch's trees, append proofs and record.</summary>
    Tree,

    /// <summary>Commits the epoch's transaction.</summary>
    Commit,

    /// <summary>Writes the epoch's bundle and the high-water mark.</summary>
    Bundle,

    /// <summary>Makes the log's signature of the checkpoint.</summary>
    Sign,

    /// <summary>Stores the signed checkpoint in the database.</summary>
    Note,

    /// <summary>Writes the epoch's tiles on the board.</summary>
    Tiles,

    /// <summary>Writes the epoch's audit proof on the board.</summary>
    Audit,

    /// <summary>Writes the epoch's checkpoint on the board.</summary>
    Checkpoint,

    /// <summary>Marks the epoch as published in the database, so that the services that follow the database take it.</summary>
    Publish,

    /// <summary>Deletes old requests from the database.</summary>
    Purge,
}
