namespace Optiks.Storage;

/// <summary>
/// Reads everything that is stored, as of one point in time, and returns rows as they are, even rows that contradict each other. All
/// methods read pages in key order; the caller continues after the last row of the previous page. Writers are not blocked. Not thread-safe:
/// one call at a time.
/// </summary>
public interface IConsistentRead : IAsyncDisposable
{
    /// <summary>Reads the head row.</summary>
    Task<HeadRow> ReadHeadAsync(CancellationToken cancellationToken);

    /// <summary>Reads all periods; their secrets stay wrapped.</summary>
    Task<IReadOnlyList<PeriodRow>> ReadPeriodsAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Reads at most <paramref name="max"/> epochs from <paramref name="first"/> on, including epochs beyond the head row.
    /// </summary>
    Task<IReadOnlyList<StoredEpoch>> ReadEpochsAsync(ulong first, int max, CancellationToken cancellationToken);

    /// <summary>
    /// Reads at most <paramref name="max"/> leaves from (<paramref name="epoch"/>, <paramref name="ordinal"/>) on. Returns fewer leaves
    /// when their values exceed about 16 MiB, but at least one leaf if one exists.
    /// </summary>
    Task<IReadOnlyList<StoredLeaf>> ReadLeavesAsync(ulong epoch, int ordinal, int max, CancellationToken cancellationToken);

    /// <summary>Counts the values, including those without a leaf.</summary>
    Task<long> CountValuesAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Reads at most <paramref name="max"/> copies from (<paramref name="period"/>, <paramref name="number"/>) on. Returns fewer copies
    /// when their values exceed about 16 MiB, but at least one copy if one exists.
    /// </summary>
    Task<IReadOnlyList<StoredCopy>> ReadCopiesAsync(ulong period, int number, int max, CancellationToken cancellationToken);

    /// <summary>Counts the values of copies, including those without a copy.</summary>
    Task<long> CountCopyValuesAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Reads at most <paramref name="max"/> erasures, starting at number <paramref name="number"/> of epoch <paramref name="decidedIn"/>.
    /// </summary>
    Task<IReadOnlyList<StoredErasure>> ReadErasuresAsync(ulong decidedIn, int number, int max, CancellationToken cancellationToken);

    /// <summary>Reads at most <paramref name="max"/> requests whose sequence is above <paramref name="after"/>.</summary>
    Task<IReadOnlyList<StoredRequest>> ReadRequestsAsync(long after, int max, CancellationToken cancellationToken);

    /// <summary>Reads the pending rows with <paramref name="after"/> &lt; sequence &lt;= <paramref name="through"/>.</summary>
    Task<IReadOnlyList<StoredPending>> ReadPendingAsync(long after, long through, CancellationToken cancellationToken);

    /// <summary>Reads the outcomes with <paramref name="after"/> &lt; sequence &lt;= <paramref name="through"/>.</summary>
    Task<IReadOnlyList<StoredOutcome>> ReadOutcomesAsync(long after, long through, CancellationToken cancellationToken);
}
