namespace Optiks.UpdateTask.Telemetry;

/// <summary>EpochStep names what an epoch's time goes into. The names in lower case are the metric's attribute.</summary>
internal enum EpochStep
{
    /// <summary>Comparing clocks and head row with the database's.</summary>
    Check,

    /// <summary>Reading what is pending.</summary>
    Read,

    /// <summary>Deciding expected versions; labels and commitments of the new leaves.</summary>
    Labels,

    /// <summary>Trees, append proofs and record.</summary>
    Tree,

    /// <summary>The epoch's transaction.</summary>
    Commit,

    /// <summary>Bundle and high-water mark.</summary>
    Bundle,

    /// <summary>The log's signature.</summary>
    Sign,

    /// <summary>Storing the signed note.</summary>
    Note,

    /// <summary>The board's tiles.</summary>
    Tiles,

    /// <summary>The board's audit proof.</summary>
    Audit,

    /// <summary>The board's checkpoint.</summary>
    Checkpoint,

    /// <summary>Telling followers in the database.</summary>
    Publish,

    /// <summary>Deleting old requests and bundles.</summary>
    Purge,
}
