namespace Optiks.Storage;

/// <summary>The database's only row with the state of the log: the last committed and published epochs, and the holder of the lease, who
/// alone may write epochs.</summary>
/// <param name="Epoch">Last committed epoch; null before genesis.</param>
/// <param name="RecordHash">Hash of that epoch's record, 32 bytes; empty before genesis.</param>
/// <param name="PublishedEpoch">
/// The last epoch that is signed and on the board; null before the first published epoch. It equals <paramref name="Epoch"/> or is one
/// less.
/// </param>
/// <param name="Fence">The fencing token of the lease's present holder. Each time a process takes the lease, the token grows by
/// one.</param>
/// <param name="Holder">Name of the lease's holder; empty when the lease was never held or was released.</param>
/// <param name="LeaseEnd">The end of the lease by the database's clock.</param>
public sealed record HeadRow(
    ulong? Epoch, ReadOnlyMemory<byte> RecordHash, ulong? PublishedEpoch, long Fence, string Holder, DateTimeOffset LeaseEnd);
