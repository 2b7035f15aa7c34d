namespace Optiks.Storage;

/// <summary>
/// Reads all stored rows as of one point in time. Returns the rows unchanged, even if they contradict each other. All methods read their
/// rows page by page, in the order of the table's primary key; the caller continues after the last row of the previous page. Writers are
/// not blocked. Not thread-safe: one call at a time.
/// </summary>
public interface IConsistentRead : IAsyncDisposable
{
    /// <summary>Reads the head row.</summary>
    Task<HeadRow> ReadHeadAsync(CancellationToken cancellationToken);

    /// <summary>Reads all periods, whose secrets stay wrapped.</summary>
    Task<IReadOnlyList<PeriodRow>> ReadPeriodsAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Reads epochs from the epoch <paramref name="first"/> on, at most <paramref name="max"/> of them, including epochs after the last
    /// epoch that the head row names.
    /// </summary>
    Task<IReadOnlyList<StoredEpoch>> ReadEpochsAsync(ulong first, int max, CancellationToken cancellationToken);

    /// <summary>
    /// Reads leaves from the position (<paramref name="epoch"/>, <paramref name="ordinal"/>) on, at most <paramref name="max"/> of them.
    /// Returns fewer leaves when their values exceed about 16 MiB, but at least one leaf if one exists.
    /// </summary>
    Task<IReadOnlyList<StoredLeaf>> ReadLeavesAsync(ulong epoch, int ordinal, int max, CancellationToken cancellationToken);

    /// <summary>Counts the stored values of leaves, including values whose leaf does not exist.</summary>
    Task<long> CountValuesAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Reads copies from the position (<paramref name="period"/>, <paramref name="number"/>) on, at most <paramref name="max"/> of them.
    /// Returns fewer copies when their values exceed about 16 MiB, but at least one copy if one exists.
    /// </summary>
    Task<IReadOnlyList<StoredCopy>> ReadCopiesAsync(ulong period, int number, int max, CancellationToken cancellationToken);

    /// <summary>Counts the stored values of copies, including values whose copy does not exist.</summary>
    Task<long> CountCopyValuesAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Reads erasures from a position on, at most <paramref name="max"/> of them. The position is the epoch that decided an erasure
    /// (<paramref name="decidedIn"/>) and the erasure's <paramref name="number"/> within that epoch.
    /// </summary>
    Task<IReadOnlyList<StoredErasure>> ReadErasuresAsync(ulong decidedIn, int number, int max, CancellationToken cancellationToken);

    /// <summary>Reads requests whose sequence numbers are above the limit <paramref name="after"/>, at most <paramref name="max"/> of
    /// them.</summary>
    Task<IReadOnlyList<StoredRequest>> ReadRequestsAsync(long after, int max, CancellationToken cancellationToken);

    /// <summary>Reads the pending rows in a range of sequence numbers, which begins after the number <paramref name="after"/> and ends with
    /// the number <paramref name="through"/>.</summary>
    Task<IReadOnlyList<StoredPending>> ReadPendingAsync(long after, long through, CancellationToken cancellationToken);

    /// <summary>Reads the outcomes in a range of sequence numbers, which begins after the number <paramref name="after"/> and ends with the
    /// number <paramref name="through"/>.</summary>
    Task<IReadOnlyList<StoredOutcome>> ReadOutcomesAsync(long after, long through, CancellationToken cancellationToken);
}
