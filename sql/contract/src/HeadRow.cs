namespace Optiks.Storage;

/// <summary>The one row that says how far the log is and who may write it.</summary>
/// <param name="Epoch">Last committed epoch; null before genesis.</param>
/// <param name="RecordHash">Hash of that epoch's record, 32 octets; empty before genesis.</param>
/// <param name="PublishedEpoch">Last epoch that is signed and on the board; null before the first. At most one below <paramref name="Epoch"/>.</param>
/// <param name="Fence">Fencing token of the lease's present holder; grows by one with every takeover.</param>
/// <param name="Holder">Name of the lease's holder; empty when nobody ever held it or it was released.</param>
/// <param name="LeaseEnd">When the lease ends by the database's clock.</param>
public sealed record HeadRow(ulong? Epoch, ReadOnlyMemory<byte> RecordHash, ulong? PublishedEpoch, long Fence, string Holder, DateTimeOffset LeaseEnd);
