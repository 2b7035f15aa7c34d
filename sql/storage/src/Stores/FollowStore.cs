namespace Optiks.Storage;

/// <summary>
/// Reads epochs. This class is the query-service's store, which sees epochs up to the last published one. It is also the base class of the
/// update-task's store, which sees epochs up to the last committed one.
/// </summary>
public class FollowStore : HeadReader, IFollowStore
{
    private const int MaxEpochs = 4096;

    /// <summary>Creates a store on a database. The store later disposes of the database object.</summary>
    public FollowStore(IDatabase database)
        : base(database)
    {
    }

    /// <inheritdoc/>
    public Task<IReadOnlyList<PeriodRow>> ReadPeriodsAsync(CancellationToken cancellationToken) =>
        Database.ReadAsync((session, cancel) => session.ListAsync(Statements.Periods, StoredRows.Period, cancel), cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<EpochRow>> ReadEpochsAsync(ulong first, ulong last, CancellationToken cancellationToken) =>
        Database.ReadAsync<IReadOnlyList<EpochRow>>(
        async (session, cancel) =>
        {
            if (LastVisible(await session.ReadHeadAsync(cancel)) is not ulong end || first > end)
            {
                return [];
            }
            IReadOnlyList<EpochRow> epochs = await session.ListAsync(
                Statements.Epochs, StoredRows.Epoch, cancel, Parameter.Create("first", first),
                Parameter.Create("last", Math.Min(last, end)), Parameter.Create("max", MaxEpochs));
            for (int i = 0; i < epochs.Count; i++)
            {
                if (epochs[i].Epoch != first + (ulong)i)
                {
                    throw new StorageCorruptException($"The database {Database.Location} lacks epoch {first + (ulong)i}: restore it.");
                }
            }
            return epochs;
        },
        cancellationToken);

    /// <inheritdoc/>
    public IAsyncEnumerable<LeafBatch> ReadLeavesAsync(
        ulong first, ulong last, int batchRows, LeafColumns columns, CancellationToken cancellationToken) => LeafPages.ReadAsync(
        first,
        last,
        batchRows,
        (next, cancellation) => Database.ReadAsync<(LeafBatch, ulong?)>(
            async (session, cancel) => LastVisible(await session.ReadHeadAsync(cancel)) is ulong end && next <= end
                ? await session.ReadLeavesAsync(next, Math.Min(last, end), batchRows, columns, cancel)
                : (LeafBatch.Empty, null),
            cancellation),
        cancellationToken);

    /// <inheritdoc/>
    public Task<(LeafBatch Names, ulong? Through)> ReadNamesAsync(
        ulong first, ulong last, int maxLeaves, LeafColumns columns, CancellationToken cancellationToken) =>
        Database.ReadAsync<(LeafBatch, ulong?)>(
            async (session, cancel) => LastVisible(await session.ReadHeadAsync(cancel)) is ulong end && first <= end
                ? await session.ReadNamesAsync(first, Math.Min(last, end), maxLeaves, columns, cancel)
                : (LeafBatch.Empty, null),
            cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredErasure>> ReadErasuresAsync(ulong first, ulong last, CancellationToken cancellationToken) =>
        Database.ReadAsync<IReadOnlyList<StoredErasure>>(
        async (session, cancel) => LastVisible(await session.ReadHeadAsync(cancel)) is ulong end && first <= Math.Min(last, end)
            ? await ErasureReader.ReadAsync(session, first, Math.Min(last, end), cancel)
            : [],
        cancellationToken);

    /// <inheritdoc/>
    public async Task<int> CountCopiesAsync(ulong period, CancellationToken cancellationToken) =>
        (await Database.ReadAsync((session, cancel) => CopyReader.NextAsync(session, period, cancel), cancellationToken))?.Number ?? 0;

    /// <inheritdoc/>
    public Task<CopyBatch> ReadCopiesAsync(ulong period, int first, int max, LeafColumns columns, CancellationToken cancellationToken) =>
        Database.ReadAsync((session, cancel) => CopyReader.ReadAsync(session, period, first, max, columns, cancel), cancellationToken);

    /// <summary>Returns the last epoch that this role sees; null when it sees no epoch.</summary>
    protected virtual ulong? LastVisible(HeadRow head)
    {
        ArgumentNullException.ThrowIfNull(head);
        return head.PublishedEpoch;
    }
}
