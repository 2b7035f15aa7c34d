namespace Optiks.Storage;

/// <summary>
/// The query-service's role: it reads and never writes. It sees epochs up to the published one. The update-task, whose
/// <see cref="IPipelineStore"/> extends this interface, also sees the committed one.
/// </summary>
public interface IFollowStore : IHeadReader
{
    /// <summary>Reads all periods, oldest first; empty before genesis.</summary>
    Task<IReadOnlyList<PeriodRow>> ReadPeriodsAsync(CancellationToken cancellationToken);

    /// <summary>Reads those of the epochs first..last that exist and that the role sees, in order; at most 4,096 per call.</summary>
    Task<IReadOnlyList<EpochRow>> ReadEpochsAsync(ulong first, ulong last, CancellationToken cancellationToken);

    /// <summary>
    /// Reads these columns of the leaves of epochs first..last that the role sees, in (epoch, ordinal) order. A batch has whole epochs,
    /// with about <paramref name="batchRows"/> rows each. Erased values are left out, and epochs without leaves are skipped. Writers are
    /// not blocked.
    /// </summary>
    IAsyncEnumerable<LeafBatch> ReadLeavesAsync(ulong first, ulong last, int batchRows, LeafColumns columns, CancellationToken cancellationToken);

    /// <summary>
    /// Reads only the leaves that are independent of periods (usernames and decommissioned) of epochs first..last that the role sees, in
    /// (epoch, ordinal) order. One call covers as many whole epochs as have about <paramref name="maxLeaves"/> leaves of any kind, at least
    /// one. Values are included where these columns include the values of all leaves.
    /// </summary>
    /// <returns>The leaves, and the last epoch that was covered; null when there is no such epoch.</returns>
    Task<(LeafBatch Names, ulong? Through)> ReadNamesAsync(ulong first, ulong last, int maxLeaves, LeafColumns columns, CancellationToken cancellationToken);

    /// <summary>
    /// Reads the erasures that epochs first..last decided and that the role sees, in order. A reader that keeps those leaves' values erases
    /// them before it answers from that epoch. Throws <see cref="StorageCorruptException"/> for an erasure whose leaf is missing.
    /// </summary>
    Task<IReadOnlyList<StoredErasure>> ReadErasuresAsync(ulong first, ulong last, CancellationToken cancellationToken);

    /// <summary>
    /// Counts the rows of copies that a period has so far, including the next period. Their numbers are 0, 1, ..., and rows are never
    /// removed.
    /// </summary>
    Task<int> CountCopiesAsync(ulong period, CancellationToken cancellationToken);

    /// <summary>
    /// Reads these columns of at most <paramref name="max"/> rows of copies from number <paramref name="first"/> on. It returns fewer rows
    /// where values exceed some 16 MiB, but at least one where one exists. Erased and destroyed values are left out. Throws
    /// <see cref="StorageCorruptException"/> where rows are missing.
    /// </summary>
    Task<CopyBatch> ReadCopiesAsync(ulong period, int first, int max, LeafColumns columns, CancellationToken cancellationToken);
}
