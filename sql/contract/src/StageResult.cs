namespace Optiks.Storage;

/// <summary>StageResult of a transaction that stages copies.</summary>
public enum StageResult
{
    /// <summary>Committed and durable.</summary>
    Staged,

    /// <summary>Nothing was written: the lease is lost, the period is not next, or the rows there do not end where these begin. The holder stops.</summary>
    Fenced,

    /// <summary>Nothing was written: a source has no value any more, so its key has a later version, or its user has left. The caller makes the copies again of what there is now.</summary>
    SourceErased,

    /// <summary>The connection was lost during the commit and the rows could not be read since: <see cref="IFollowStore.CountCopiesAsync"/> tells before anything else is done.</summary>
    Unknown,
}
