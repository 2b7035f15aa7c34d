namespace Optiks.Storage;

/// <summary>CommitResult of an epoch's transaction.</summary>
public enum CommitResult
{
    /// <summary>Committed and durable.</summary>
    Committed,

    /// <summary>Nothing was written: the head row is not (epoch - 1, previous hash, fence, holder) any more, or a pending row read is gone. The holder stops.</summary>
    Fenced,

    /// <summary>The connection was lost during the commit and the epoch row could not be read since.</summary>
    Unknown,
}
