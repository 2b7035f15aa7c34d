namespace Optiks.Storage;

/// <summary>
/// The query-service's role: it reads and never writes. The query-service sees epochs up to the published epoch. The update-task, whose
/// <see cref="IPipelineStore"/> extends this interface, also sees the committed epoch after it.
/// </summary>
public interface IFollowStore : IHeadReader
{
    /// <summary>Reads all periods, oldest first; empty before genesis.</summary>
    Task<IReadOnlyList<PeriodRow>> ReadPeriodsAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Reads the epochs first..last in order, except epochs that do not exist or that the role does not see. A call returns at most 4,096
    /// epochs.
    /// </summary>
    Task<IReadOnlyList<EpochRow>> ReadEpochsAsync(ulong first, ulong last, CancellationToken cancellationToken);

    /// <summary>
    /// Reads the given columns of the leaves of epochs first..last that the role sees, in (epoch, ordinal) order. Each batch has whole
    /// epochs, with about <paramref name="batchRows"/> rows in all. Erased values are left out, and epochs without leaves are skipped.
    /// Writers are not blocked.
    /// </summary>
    IAsyncEnumerable<LeafBatch> ReadLeavesAsync(ulong first, ulong last, int batchRows, LeafColumns columns, CancellationToken cancellationToken);

    /// <summary>
    /// Reads only the leaves that are independent of periods (usernames and decommissioned) of epochs first..last that the role sees, in
    /// (epoch, ordinal) order. One call covers at least one whole epoch, and as many epochs as have about <paramref name="maxLeaves"/>
    /// leaves of any kind together. The result has values if the given columns include the values of all leaves.
    /// </summary>
    /// <returns>The leaves, and the last epoch that the call covered; that epoch is null when the role sees none of the epochs.</returns>
    Task<(LeafBatch Names, ulong? Through)> ReadNamesAsync(ulong first, ulong last, int maxLeaves, LeafColumns columns, CancellationToken cancellationToken);

    /// <summary>
    /// Reads the erasures that epochs first..last decided and that the role sees, in order. A reader that keeps the values of the erased
    /// leaves must erase them before it answers from the epoch that decided the erasure. Throws <see cref="StorageCorruptException"/> for
    /// an erasure whose leaf is missing.
    /// </summary>
    Task<IReadOnlyList<StoredErasure>> ReadErasuresAsync(ulong first, ulong last, CancellationToken cancellationToken);

    /// <summary>
    /// Counts the rows of copies that a period, which may be the next one, has so far. The rows have the numbers 0, 1, ..., and no row is
    /// ever removed.
    /// </summary>
    Task<int> CountCopiesAsync(ulong period, CancellationToken cancellationToken);

    /// <summary>
    /// Reads the given columns of at most <paramref name="max"/> rows of copies from number <paramref name="first"/> on. Returns fewer rows
    /// when their values exceed about 16 MiB, but at least one row if one exists. Erased and destroyed values are left out. Throws
    /// <see cref="StorageCorruptException"/> when rows are missing.
    /// </summary>
    Task<CopyBatch> ReadCopiesAsync(ulong period, int first, int max, LeafColumns columns, CancellationToken cancellationToken);
}
