namespace Optiks.Storage;

/// <summary>
/// Reads all stored rows as of one point in time, in one transaction. Returns the rows unchanged, even if they contradict each other. All
/// methods read their rows page by page, in the order of the table's primary key; the caller continues after the last row of the previous
/// page. Writers are not blocked. While the transaction is open, the server keeps the rows that other transactions delete, so an open read
/// takes space. Not thread-safe: one call at a time.
/// </summary>
public sealed class ConsistentRead : IAsyncDisposable
{
    private readonly Statements _statements;
    private readonly ITransaction _transaction;

    internal ConsistentRead(Statements statements, ITransaction transaction)
    {
        _statements = statements;
        _transaction = transaction;
    }

    /// <summary>Reads the head row.</summary>
    public Task<HeadRow> ReadHeadAsync(CancellationToken cancellationToken) =>
        _transaction.RunAsync(session => session.ReadHeadAsync(cancellationToken), cancellationToken);

    /// <summary>Reads all periods, whose secrets stay wrapped.</summary>
    public Task<IReadOnlyList<PeriodRow>> ReadPeriodsAsync(CancellationToken cancellationToken) =>
        ListAsync(_statements.Periods, StoredRows.Period, cancellationToken);

    /// <summary>
    /// Reads epochs from the epoch <paramref name="first"/> on, at most <paramref name="max"/> of them, including epochs after the last
    /// epoch that the head row names.
    /// </summary>
    public Task<IReadOnlyList<StoredEpoch>> ReadEpochsAsync(ulong first, int max, CancellationToken cancellationToken) => ListAsync(
        _statements.StoredEpochs, rows => new StoredEpoch(StoredRows.Epoch(rows), rows.GetInt64(4), rows.GetInt64(5)), cancellationToken,
        Parameter.Create("first", first), Parameter.Create("max", max));

    /// <summary>
    /// Reads leaves from the position (<paramref name="epoch"/>, <paramref name="ordinal"/>) on, at most <paramref name="max"/> of them.
    /// Returns fewer leaves when their values exceed about 16 MiB, but at least one leaf if one exists.
    /// </summary>
    public Task<IReadOnlyList<StoredLeaf>> ReadLeavesAsync(ulong epoch, int ordinal, int max, CancellationToken cancellationToken) =>
        _transaction.RunAsync(session => session.ReadStoredLeavesAsync(epoch, ordinal, max, cancellationToken), cancellationToken);

    /// <summary>Counts the stored values of leaves, including values whose leaf does not exist.</summary>
    public Task<long> CountValuesAsync(CancellationToken cancellationToken) =>
        FirstAsync(_statements.CountValues, rows => rows.GetInt64(0), cancellationToken);

    /// <summary>
    /// Reads copies from the position (<paramref name="period"/>, <paramref name="number"/>) on, at most <paramref name="max"/> of them.
    /// Returns fewer copies when their values exceed about 16 MiB, but at least one copy if one exists.
    /// </summary>
    public Task<IReadOnlyList<StoredCopy>> ReadCopiesAsync(ulong period, int number, int max, CancellationToken cancellationToken) =>
        _transaction.RunAsync(session => session.ReadStoredCopiesAsync(period, number, max, cancellationToken), cancellationToken);

    /// <summary>Counts the stored values of copies, including values whose copy does not exist.</summary>
    public Task<long> CountCopyValuesAsync(CancellationToken cancellationToken) =>
        FirstAsync(_statements.CountCopyValues, rows => rows.GetInt64(0), cancellationToken);

    /// <summary>Reads requests whose sequence numbers are above the limit <paramref name="after"/>, at most <paramref name="max"/> of
    /// them.</summary>
    public Task<IReadOnlyList<StoredRequest>> ReadRequestsAsync(long after, int max, CancellationToken cancellationToken) => ListAsync(
        _statements.StoredRequests, StoredRows.ReadRequest, cancellationToken, Parameter.Create("after", after),
        Parameter.Create("max", max));

    /// <summary>Reads the pending rows in a range of sequence numbers, which begins after the number <paramref name="after"/> and ends with
    /// the number <paramref name="through"/>.</summary>
    public Task<IReadOnlyList<StoredPending>> ReadPendingAsync(long after, long through, CancellationToken cancellationToken) => ListAsync(
        _statements.StoredPending,
        rows => rows.IsNull(7) || rows.GetBoolean(7)
            ? new StoredPending(rows.GetInt64(0), rows.GetInt16(1), StoredRows.Update(rows, 2))
            : throw new StorageCorruptException(
                $"The pending update {rows.GetInt64(0)}, {rows.GetInt16(1)} names another request than its own: restore the database."),
        cancellationToken,
        Parameter.Create("after", after),
        Parameter.Create("through", through));

    /// <summary>Reads the outcomes in a range of sequence numbers, which begins after the number <paramref name="after"/> and ends with the
    /// number <paramref name="through"/>.</summary>
    public Task<IReadOnlyList<StoredOutcome>> ReadOutcomesAsync(long after, long through, CancellationToken cancellationToken) => ListAsync(
        _statements.StoredOutcomes,
        rows => new StoredOutcome(
            rows.GetInt64(0), rows.GetInt16(1), rows.GetUInt64(2),
            new ResultColumns(rows.IsNull(3) ? null : rows.GetInt32(3), StoredRows.Refusal(rows, 4)),
            rows.IsNull(8) ? null : new LeafOrigin(rows.GetRequestId(8), rows.GetInt16(9))),
        cancellationToken,
        Parameter.Create("after", after),
        Parameter.Create("through", through));

    /// <summary>
    /// Reads erasures from a position on, at most <paramref name="max"/> of them. The position is the epoch that decided an erasure
    /// (<paramref name="decidedIn"/>) and the erasure's <paramref name="number"/> within that epoch.
    /// </summary>
    public Task<IReadOnlyList<StoredErasure>> ReadErasuresAsync(
        ulong decidedIn, int number, int max, CancellationToken cancellationToken) =>
        ListAsync(_statements.Erasures, StoredRows.Erasure, cancellationToken,
            ErasureReader.Parameters(decidedIn, number, last: long.MaxValue, max));

    public ValueTask DisposeAsync() => _transaction.DisposeAsync();

    private Task<T?> FirstAsync<T>(Sql sql, Func<IRows, T> read, CancellationToken cancellationToken, params Parameter[] parameters) =>
        _transaction.RunAsync(session => session.FirstAsync(sql, read, cancellationToken, parameters), cancellationToken);

    private Task<IReadOnlyList<T>> ListAsync<T>(
        Sql sql, Func<IRows, T> read, CancellationToken cancellationToken, params Parameter[] parameters) =>
        _transaction.RunAsync(session => session.ListAsync(sql, read, cancellationToken, parameters), cancellationToken);
}
