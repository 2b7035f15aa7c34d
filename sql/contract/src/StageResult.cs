namespace Optiks.Storage;

/// <summary>The result of a transaction that stages copies.</summary>
public enum StageResult
{
    /// <summary>Committed and durable.</summary>
    Staged,

    /// <summary>
    /// Nothing was written: the lease is lost, the period's state is not next, or the stored rows do not end where the new rows begin. The
    /// lease's holder stops.
    /// </summary>
    Fenced,

    /// <summary>
    /// Nothing was written: a source has no value any more, because its key has a later version or its user has left. The caller makes the
    /// copies again from the present versions.
    /// </summary>
    SourceErased,

    /// <summary>
    /// The connection was lost during the commit, and the rows could not be read afterwards. The caller must call
    /// <see cref="IFollowStore.CountCopiesAsync"/> before anything else.
    /// </summary>
    Unknown,
}
