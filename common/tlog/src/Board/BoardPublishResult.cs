namespace Optiks.Tlog;

/// <summary>Lists the results of publishing a checkpoint.</summary>
public enum BoardPublishResult
{
    /// <summary>The checkpoint was written and is durable.</summary>
    Published,

    /// <summary>The same checkpoint existed, perhaps with cosignatures; it is now durable.</summary>
    AlreadyPublished,

    /// <summary>The board has a larger checkpoint, and keeps it: another writer is ahead.</summary>
    Superseded,
}
