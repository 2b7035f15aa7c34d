namespace Optiks.Tlog;

/// <summary>Lists the results of publishing a checkpoint.</summary>
public enum BoardPublishResult
{
    /// <summary>The checkpoint was written and is durable.</summary>
    Published,

    /// <summary>The board already had the same checkpoint, possibly with more cosignatures; this checkpoint is now durable.</summary>
    AlreadyPublished,

    /// <summary>The board keeps a larger checkpoint, which another writer has published.</summary>
    Superseded,
}
