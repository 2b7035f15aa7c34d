namespace Optiks.Storage;

/// <summary>The result of the transaction that commits an epoch.</summary>
public enum CommitResult
{
    /// <summary>The epoch is committed and durable.</summary>
    Committed,

    /// <summary>
    /// Nothing was written. Either the head row no longer has the previous epoch, its hash, the fence and the holder that the commit
    /// expects, or a pending row that the caller had read is gone. The caller must stop writing.
    /// </summary>
    Fenced,

    /// <summary>The connection was lost during the commit, and the epoch row could not be read afterwards. So it is unknown whether the
    /// epoch was committed.</summary>
    Unknown,
}
