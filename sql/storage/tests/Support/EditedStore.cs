namespace Optiks.Storage.Tests;

/// <summary>
/// Wraps a store and changes the rows that it returns, as a test demands. So a test gets rows as in a database that is damaged, was edited,
/// or was restored from a backup.
/// </summary>
internal sealed class EditedStore(IFollowStore store) : IFollowStore
{
    /// <summary>The function that changes the rows that <see cref="ReadEpochsAsync"/> returns.</summary>
    public Func<IEnumerable<EpochRow>, IEnumerable<EpochRow>> Epochs { get; set; } = rows => rows;

    /// <summary>The function that changes each batch of leaves.</summary>
    public Func<LeafBatch, LeafBatch> Leaves { get; set; } = batch => batch;

    /// <summary>The function that changes each batch of copies.</summary>
    public Func<CopyBatch, CopyBatch> Copies { get; set; } = batch => batch;

    /// <summary>The function that changes the rows that <see cref="ReadPeriodsAsync"/> returns.</summary>
    public Func<IEnumerable<PeriodRow>, IEnumerable<PeriodRow>> Periods { get; set; } = rows => rows;

    /// <summary>The columns of leaves that the replay has read, in the order of its reads.</summary>
    public List<LeafColumns> Columns { get; } = [];

    /// <summary>The function that runs before each read of leaves.</summary>
    public Func<Task> BeforeLeaves { get; set; } = () => Task.CompletedTask;

    public Task<HeadRow> ReadHeadAsync(CancellationToken cancellationToken) => store.ReadHeadAsync(cancellationToken);

    public Task<DateTimeOffset> ReadClockAsync(CancellationToken cancellationToken) => store.ReadClockAsync(cancellationToken);

    public Task<HeadRow> WaitForPublishedAsync(ulong? publishedEpoch, TimeSpan timeout, CancellationToken cancellationToken) =>
        store.WaitForPublishedAsync(publishedEpoch, timeout, cancellationToken);

    public async Task<IReadOnlyList<PeriodRow>> ReadPeriodsAsync(CancellationToken cancellationToken) =>
        [.. Periods(await store.ReadPeriodsAsync(cancellationToken))];

    public async Task<IReadOnlyList<EpochRow>> ReadEpochsAsync(ulong first, ulong last, CancellationToken cancellationToken) =>
        [.. Epochs(await store.ReadEpochsAsync(first, last, cancellationToken))];

    public async IAsyncEnumerable<LeafBatch> ReadLeavesAsync(
        ulong first, ulong last, int batchRows, LeafColumns columns,
        [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken)
    {
        Columns.Add(columns);
        await BeforeLeaves();
        await foreach (LeafBatch batch in store.ReadLeavesAsync(first, last, batchRows, columns, cancellationToken))
        {
            yield return Leaves(batch);
        }
    }

    public async Task<(LeafBatch Names, ulong? Through)> ReadNamesAsync(
        ulong first, ulong last, int maxLeaves, LeafColumns columns, CancellationToken cancellationToken)
    {
        Columns.Add(columns);
        await BeforeLeaves();
        (LeafBatch names, ulong? through) = await store.ReadNamesAsync(first, last, maxLeaves, columns, cancellationToken);
        return (Leaves(names), through);
    }

    public Task<IReadOnlyList<StoredErasure>> ReadErasuresAsync(ulong first, ulong last, CancellationToken cancellationToken) =>
        store.ReadErasuresAsync(first, last, cancellationToken);

    public Task<int> CountCopiesAsync(ulong period, CancellationToken cancellationToken) =>
        store.CountCopiesAsync(period, cancellationToken);

    public async Task<CopyBatch> ReadCopiesAsync(
        ulong period, int first, int max, LeafColumns columns, CancellationToken cancellationToken) =>
        Copies(await store.ReadCopiesAsync(period, first, max, columns, cancellationToken));

    public ValueTask DisposeAsync() => store.DisposeAsync();
}
