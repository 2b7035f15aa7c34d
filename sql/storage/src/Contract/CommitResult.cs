namespace Optiks.Storage;

/// <summary>The result of the transaction that commits an epoch.</summary>
public enum CommitResult
{
    /// <summary>The epoch is committed and durable.</summary>
    Committed,

    /// <summary>
    /// Nothing was written: the head row no longer matches (epoch - 1, previous hash, fence, holder), or a pending row that the caller had
    /// read is gone. The caller must stop writing.
    /// </summary>
    Fenced,

    /// <summary>The connection was lost during the commit, and the epoch row could not be read afterwards.</summary>
    Unknown,
}
