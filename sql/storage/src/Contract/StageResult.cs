namespace Optiks.Storage;

/// <summary>The result of a transaction that stages copies.</summary>
public enum StageResult
{
    /// <summary>The rows are committed and durable.</summary>
    Staged,

    /// <summary>
    /// Nothing was written: the caller has lost the lease, the period's state is not <see cref="PeriodState.Next"/>, or the stored rows do
    /// not end where the new rows begin. The caller must stop writing.
    /// </summary>
    Fenced,

    /// <summary>
    /// Nothing was written: the source of a copy no longer has a value, because its key got a later version or its user left. The caller
    /// must make the copies again from the latest versions.
    /// </summary>
    SourceErased,

    /// <summary>
    /// The connection was lost during the commit, and the driver could not read afterwards whether the rows exist. The caller must call
    /// <see cref="IFollowStore.CountCopiesAsync"/> before anything else.
    /// </summary>
    Unknown,
}
