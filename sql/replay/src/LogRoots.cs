namespace Optiks.Storage.Replay;

/// <summary>
/// Whether a replay computes and checks the log's roots. To compute roots, it must hash every record into the log, which takes more than a
/// third of the time per record.
/// </summary>
public enum LogRoots
{
    /// <summary>Epochs have no root. The update-task uses this choice, because its board has the roots.</summary>
    None,

    /// <summary>Epochs have their root and the inclusion proof of their record. Tools that sign use this choice.</summary>
    Computed,

    /// <summary>
    /// As <see cref="Computed"/>; in addition, an epoch that becomes <see cref="LogReplay.Last"/> needs a checkpoint with its root.
    /// Replicas use this choice.
    /// </summary>
    Checked,
}
