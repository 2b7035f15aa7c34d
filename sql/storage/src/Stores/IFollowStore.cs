namespace Optiks.Storage;

/// <summary>
/// The operations of the query-service's role, which reads and never writes. The query-service sees epochs up to the last published epoch.
/// The update-task's <see cref="PipelineStore"/>, which implements this interface, also sees the committed epoch after the last published
/// one.
/// </summary>
public interface IFollowStore : IHeadReader
{
    /// <summary>Reads all periods, oldest first; the list is empty before genesis.</summary>
    Task<IReadOnlyList<PeriodRow>> ReadPeriodsAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Reads the epochs from <paramref name="first"/> to <paramref name="last"/> in order. The result omits epochs that do not exist or
    /// that the role does not see. A call returns at most 4,096 epochs.
    /// </summary>
    Task<IReadOnlyList<EpochRow>> ReadEpochsAsync(ulong first, ulong last, CancellationToken cancellationToken);

    /// <summary>
    /// Reads the given columns of the leaves of the epochs from <paramref name="first"/> to <paramref name="last"/>, in the order (epoch,
    /// ordinal). Epochs that the role does not see are omitted. Each batch has the leaves of whole epochs, together about the given number
    /// of rows (<paramref name="batchRows"/>). The batches omit erased values and epochs without leaves. Writers are not blocked.
    /// </summary>
    IAsyncEnumerable<LeafBatch> ReadLeavesAsync(
        ulong first, ulong last, int batchRows, LeafColumns columns, CancellationToken cancellationToken);

    /// <summary>
    /// Reads the leaves of the structures <c>usernames</c> and <c>decommissioned</c>, which are independent of periods. Reads them for the
    /// epochs from <paramref name="first"/> to <paramref name="last"/>. Epochs that the role does not see are omitted; the leaves are in
    /// the order (epoch, ordinal). One call covers at least one whole epoch. It covers as many epochs as have about the given number of
    /// leaves (<paramref name="maxLeaves"/>) together, counting the leaves of all structures. The result has values if the given
    /// <paramref name="columns"/> include the values of all leaves.
    /// </summary>
    /// <returns>The leaves, and the last epoch that the call covered; that epoch is null when the role sees none of the epochs.</returns>
    Task<(LeafBatch Names, ulong? Through)> ReadNamesAsync(
        ulong first, ulong last, int maxLeaves, LeafColumns columns, CancellationToken cancellationToken);

    /// <summary>
    /// Reads the erasures that the epochs from <paramref name="first"/> to <paramref name="last"/> decided, in order, except erasures of
    /// epochs that the role does not see. A reader that keeps the values of leaves must erase the values that an epoch erased before it
    /// answers from that epoch. Throws <see cref="StorageCorruptException"/> for an erasure whose leaf is missing.
    /// </summary>
    Task<IReadOnlyList<StoredErasure>> ReadErasuresAsync(ulong first, ulong last, CancellationToken cancellationToken);

    /// <summary>
    /// Counts the rows of copies that a period has so far; the period may be the next one. The rows are numbered from 0, and rows are never
    /// removed.
    /// </summary>
    Task<int> CountCopiesAsync(ulong period, CancellationToken cancellationToken);

    /// <summary>
    /// Reads the given columns of rows of copies from the number <paramref name="first"/> on, at most <paramref name="max"/> rows. Returns
    /// fewer rows when their values exceed about 16 MiB, but at least one row if one exists. The result omits erased and destroyed values.
    /// Throws <see cref="StorageCorruptException"/> when rows are missing.
    /// </summary>
    Task<CopyBatch> ReadCopiesAsync(ulong period, int first, int max, LeafColumns columns, CancellationToken cancellationToken);
}
