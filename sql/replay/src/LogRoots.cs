namespace Optiks.Storage.Replay;

/// <summary>Says what a replay knows of the log's roots. For any it hashes every record into the log, which takes more than a third of the time that a record costs.</summary>
public enum LogRoots
{
    /// <summary>None: epochs have no root. For the task, whose board has them.</summary>
    None,

    /// <summary>Computed: epochs have their root, and the inclusion proof of their record. For tools that sign.</summary>
    Computed,

    /// <summary>Checked: an epoch that becomes <see cref="LogReplay.Last"/> needs a checkpoint of its root besides. For replicas.</summary>
    Checked,
}
