namespace Optiks.Storage;

/// <summary>
/// The query-service's role: it reads, and never writes. It sees epochs up to the published one; the update-task, whose
/// <see cref="IPipelineStore"/> extends it, sees the committed one as well.
/// </summary>
public interface IFollowStore : IHeadReader
{
    /// <summary>Reads all periods, oldest first; empty before genesis.</summary>
    Task<IReadOnlyList<PeriodRow>> ReadPeriodsAsync(CancellationToken cancellationToken);

    /// <summary>Reads epochs first..last that the role sees, in order, as far as they exist; at most 4,096 a call.</summary>
    Task<IReadOnlyList<EpochRow>> ReadEpochsAsync(ulong first, ulong last, CancellationToken cancellationToken);

    /// <summary>
    /// Reads these columns of the leaves of epochs first..last that the role sees, of values those that were not erased, in (epoch, ordinal) order, in batches of whole epochs of about
    /// <paramref name="batchRows"/> rows, without holding up writers. Epochs without leaves are passed over.
    /// </summary>
    IAsyncEnumerable<LeafBatch> ReadLeavesAsync(ulong first, ulong last, int batchRows, LeafColumns columns, CancellationToken cancellationToken);

    /// <summary>
    /// Reads of epochs first..last that the role sees those leaves alone that know no periods, usernames and decommissioned, in (epoch, ordinal) order: as many whole epochs at once as have about
    /// <paramref name="maxLeaves"/> leaves of any kind, at least one. With values where these columns have those of all leaves.
    /// </summary>
    /// <returns>Leaves, and the last epoch that was looked at; null: there is none.</returns>
    Task<(LeafBatch Names, ulong? Through)> ReadNamesAsync(ulong first, ulong last, int maxLeaves, LeafColumns columns, CancellationToken cancellationToken);

    /// <summary>
    /// Reads what epochs first..last that the role sees have erased, in order. Who has those leaves' values anywhere erases them before it answers from that epoch. <see cref="StorageCorruptException"/> for
    /// one without its leaf.
    /// </summary>
    Task<IReadOnlyList<StoredErasure>> ReadErasuresAsync(ulong first, ulong last, CancellationToken cancellationToken);

    /// <summary>Counts the rows of copies that a period has so far, also while it is next: their numbers are 0, 1, ... and none is ever taken away.</summary>
    Task<int> CountCopiesAsync(ulong period, CancellationToken cancellationToken);

    /// <summary>
    /// Reads these columns of at most <paramref name="max"/> rows of copies from number <paramref name="first"/> on, fewer where values come to more than some 16 MiB, at least one where there is
    /// one. Of values those that were neither erased nor destroyed. <see cref="StorageCorruptException"/> where rows are missing.
    /// </summary>
    Task<CopyBatch> ReadCopiesAsync(ulong period, int first, int max, LeafColumns columns, CancellationToken cancellationToken);
}
