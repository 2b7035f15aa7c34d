namespace Optiks.Storage.Replay;

/// <summary>
/// How much a replay knows about the log's roots. Any knowledge requires hashing every record into the log, which takes more than a third
/// of the time per record.
/// </summary>
public enum LogRoots
{
    /// <summary>Epochs have no root. The task uses this, because its board has the roots.</summary>
    None,

    /// <summary>Epochs have their root and the inclusion proof of their record. Tools that sign use this.</summary>
    Computed,

    /// <summary>
    /// As <see cref="Computed"/>; in addition, an epoch that becomes <see cref="LogReplay.Last"/> needs a checkpoint with its root.
    /// Replicas use this.
    /// </summary>
    Checked,
}
