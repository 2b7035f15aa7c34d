namespace Optiks.Storage;

/// <summary>
/// Reads all that is stored, at one moment and without judging it: rows that contradict each other are returned as they are. All methods read in key order, by pages: the
/// caller goes on after the last row that it got. Writers are not held up. Not thread-safe: one call at a time.
/// </summary>
public interface IConsistentRead : IAsyncDisposable
{
    /// <summary>Reads the head row.</summary>
    Task<HeadRow> ReadHeadAsync(CancellationToken cancellationToken);

    /// <summary>Reads all periods; secrets stay wrapped.</summary>
    Task<IReadOnlyList<PeriodRow>> ReadPeriodsAsync(CancellationToken cancellationToken);

    /// <summary>Reads at most <paramref name="max"/> epochs from <paramref name="first"/> on, beyond the head row too.</summary>
    Task<IReadOnlyList<StoredEpoch>> ReadEpochsAsync(ulong first, int max, CancellationToken cancellationToken);

    /// <summary>Reads at most <paramref name="max"/> leaves from (<paramref name="epoch"/>, <paramref name="ordinal"/>) on, fewer where values come to more than some 16 MiB, at least one.</summary>
    Task<IReadOnlyList<StoredLeaf>> ReadLeavesAsync(ulong epoch, int ordinal, int max, CancellationToken cancellationToken);

    /// <summary>Counts the values, those without a leaf too.</summary>
    Task<long> CountValuesAsync(CancellationToken cancellationToken);

    /// <summary>Reads at most <paramref name="max"/> copies from (<paramref name="period"/>, <paramref name="number"/>) on, fewer where values come to more than some 16 MiB, at least one.</summary>
    Task<IReadOnlyList<StoredCopy>> ReadCopiesAsync(ulong period, int number, int max, CancellationToken cancellationToken);

    /// <summary>Counts the values of copies, those without a copy too.</summary>
    Task<long> CountCopyValuesAsync(CancellationToken cancellationToken);

    /// <summary>Reads at most <paramref name="max"/> erasures from number <paramref name="number"/> of epoch <paramref name="decidedIn"/> on.</summary>
    Task<IReadOnlyList<StoredErasure>> ReadErasuresAsync(ulong decidedIn, int number, int max, CancellationToken cancellationToken);

    /// <summary>Reads at most <paramref name="max"/> requests whose sequence is above <paramref name="after"/>.</summary>
    Task<IReadOnlyList<StoredRequest>> ReadRequestsAsync(long after, int max, CancellationToken cancellationToken);

    /// <summary>Reads the pending rows with <paramref name="after"/> &lt; sequence &lt;= <paramref name="through"/>.</summary>
    Task<IReadOnlyList<StoredPending>> ReadPendingAsync(long after, long through, CancellationToken cancellationToken);

    /// <summary>Reads the outcomes with <paramref name="after"/> &lt; sequence &lt;= <paramref name="through"/>.</summary>
    Task<IReadOnlyList<StoredOutcome>> ReadOutcomesAsync(long after, long through, CancellationToken cancellationToken);
}
