namespace Optiks.Tlog;

/// <summary>BoardPublishResult says what became of a checkpoint.</summary>
public enum BoardPublishResult
{
    /// <summary>The checkpoint was written and is durable.</summary>
    Published,

    /// <summary>The same checkpoint was there, perhaps with cosignatures; it is durable now.</summary>
    AlreadyPublished,

    /// <summary>The board has a larger checkpoint, and keeps it: another writer is ahead.</summary>
    Superseded,
}
