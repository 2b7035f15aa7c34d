namespace Optiks.Storage;

/// <summary>
/// Says whether a replay computes and checks the roots of the log. To compute them, it must hash every record into the log, which takes
/// more than a third of its time per record.
/// </summary>
public enum LogRoots
{
    /// <summary>The replay computes no roots. The update-task uses this choice, because it knows the roots from its board.</summary>
    None,

    /// <summary>The replay computes, for each epoch, the log's root and the inclusion proof of the epoch's record. Tools that sign use this
    /// choice.</summary>
    Computed,

    /// <summary>
    /// The replay computes the same as for <see cref="Computed"/>. In addition, it accepts an epoch as <see cref="LogReplay.Last"/> only if
    /// the epoch's checkpoint has the computed root. Query-services use this choice.
    /// </summary>
    Checked,
}
