namespace Optiks.Storage.Driver;

/// <summary>
/// Reads all stored rows in one transaction. While the transaction is open, the server keeps the rows that other transactions delete, so an
/// open read takes space.
/// </summary>
internal sealed class ConsistentRead : IConsistentRead
{
    private readonly Statements _statements;
    private readonly ITransaction _transaction;

    public ConsistentRead(Statements statements, ITransaction transaction)
    {
        _statements = statements;
        _transaction = transaction;
    }

    /// <inheritdoc/>
    public Task<HeadRow> ReadHeadAsync(CancellationToken cancellationToken) => _transaction.RunAsync(session => session.ReadHeadAsync(cancellationToken), cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<PeriodRow>> ReadPeriodsAsync(CancellationToken cancellationToken) => ListAsync(_statements.Periods, StoredRows.Period, cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredEpoch>> ReadEpochsAsync(ulong first, int max, CancellationToken cancellationToken) => ListAsync(
        _statements.StoredEpochs, rows => new StoredEpoch(StoredRows.Epoch(rows), rows.GetInt64(4), rows.GetInt64(5)), cancellationToken, Parameter.Create("first", first), Parameter.Create("max", max));

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredLeaf>> ReadLeavesAsync(ulong epoch, int ordinal, int max, CancellationToken cancellationToken) =>
        _transaction.RunAsync(session => session.ReadStoredLeavesAsync(epoch, ordinal, max, cancellationToken), cancellationToken);

    /// <inheritdoc/>
    public Task<long> CountValuesAsync(CancellationToken cancellationToken) => FirstAsync(_statements.CountValues, rows => rows.GetInt64(0), cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredCopy>> ReadCopiesAsync(ulong period, int number, int max, CancellationToken cancellationToken) =>
        _transaction.RunAsync(session => session.ReadStoredCopiesAsync(period, number, max, cancellationToken), cancellationToken);

    /// <inheritdoc/>
    public Task<long> CountCopyValuesAsync(CancellationToken cancellationToken) => FirstAsync(_statements.CountCopyValues, rows => rows.GetInt64(0), cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredRequest>> ReadRequestsAsync(long after, int max, CancellationToken cancellationToken) => ListAsync(
        _statements.StoredRequests, StoredRows.ReadRequest, cancellationToken, Parameter.Create("after", after), Parameter.Create("max", max));

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredPending>> ReadPendingAsync(long after, long through, CancellationToken cancellationToken) => ListAsync(
        _statements.StoredPending,
        rows => rows.IsNull(7) || rows.GetBoolean(7)
            ? new StoredPending(rows.GetInt64(0), rows.GetInt16(1), StoredRows.Update(rows, 2))
            : throw new StorageCorruptException($"The pending update {rows.GetInt64(0)}, {rows.GetInt16(1)} names another request than its own: restore the database."),
        cancellationToken,
        Parameter.Create("after", after),
        Parameter.Create("through", through));

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredOutcome>> ReadOutcomesAsync(long after, long through, CancellationToken cancellationToken) => ListAsync(
        _statements.StoredOutcomes,
        rows => new StoredOutcome(
            rows.GetInt64(0), rows.GetInt16(1), rows.GetUInt64(2), new ResultColumns(rows.IsNull(3) ? null : rows.GetInt32(3), StoredRows.Refusal(rows, 4)),
            rows.IsNull(8) ? null : new LeafOrigin(rows.GetRequestId(8), rows.GetInt16(9))),
        cancellationToken,
        Parameter.Create("after", after),
        Parameter.Create("through", through));

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredErasure>> ReadErasuresAsync(ulong decidedIn, int number, int max, CancellationToken cancellationToken) =>
        ListAsync(_statements.Erasures, StoredRows.Erasure, cancellationToken, ErasureReader.Parameters(decidedIn, number, last: long.MaxValue, max));

    public ValueTask DisposeAsync() => _transaction.DisposeAsync();

    private Task<T?> FirstAsync<T>(Sql sql, Func<IRows, T> read, CancellationToken cancellationToken, params Parameter[] parameters) =>
        _transaction.RunAsync(session => session.FirstAsync(sql, read, cancellationToken, parameters), cancellationToken);

    private Task<IReadOnlyList<T>> ListAsync<T>(Sql sql, Func<IRows, T> read, CancellationToken cancellationToken, params Parameter[] parameters) =>
        _transaction.RunAsync(session => session.ListAsync(sql, read, cancellationToken, parameters), cancellationToken);
}
