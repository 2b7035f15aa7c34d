namespace Optiks.Storage.Driver;

/// <summary>Reads everything in one transaction. While it is open, the server keeps the rows that others delete.</summary>
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
        _statements.StoredEpochs, rows => new StoredEpoch(StoredRows.Epoch(rows), rows.Big(4), rows.Big(5)), cancellationToken, Parameter.Of("first", first), Parameter.Of("max", max));

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredLeaf>> ReadLeavesAsync(ulong epoch, int ordinal, int max, CancellationToken cancellationToken) =>
        _transaction.RunAsync(session => session.ReadStoredLeavesAsync(epoch, ordinal, max, cancellationToken), cancellationToken);

    /// <inheritdoc/>
    public Task<long> CountValuesAsync(CancellationToken cancellationToken) => FirstAsync(_statements.CountValues, rows => rows.Big(0), cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredCopy>> ReadCopiesAsync(ulong period, int number, int max, CancellationToken cancellationToken) =>
        _transaction.RunAsync(session => session.ReadStoredCopiesAsync(period, number, max, cancellationToken), cancellationToken);

    /// <inheritdoc/>
    public Task<long> CountCopyValuesAsync(CancellationToken cancellationToken) => FirstAsync(_statements.CountCopyValues, rows => rows.Big(0), cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredRequest>> ReadRequestsAsync(long after, int max, CancellationToken cancellationToken) => ListAsync(
        _statements.StoredRequests, StoredRows.Request, cancellationToken, Parameter.Of("after", after), Parameter.Of("max", max));

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredPending>> ReadPendingAsync(long after, long through, CancellationToken cancellationToken) => ListAsync(
        _statements.StoredPending,
        rows => rows.IsNull(7) || rows.Flag(7)
            ? new StoredPending(rows.Big(0), rows.Small(1), StoredRows.Update(rows, 2))
            : throw new StorageCorruptException($"The pending update {rows.Big(0)}, {rows.Small(1)} names another request than its own: restore the database."),
        cancellationToken,
        Parameter.Of("after", after),
        Parameter.Of("through", through));

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredOutcome>> ReadOutcomesAsync(long after, long through, CancellationToken cancellationToken) => ListAsync(
        _statements.StoredOutcomes,
        rows => new StoredOutcome(
            rows.Big(0), rows.Small(1), rows.Natural(2), rows.IsNull(3) ? null : rows.Medium(3), StoredRows.Refusal(rows, 4),
            rows.IsNull(8) ? null : new LeafOrigin(rows.RequestId(8), rows.Small(9))),
        cancellationToken,
        Parameter.Of("after", after),
        Parameter.Of("through", through));

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredErasure>> ReadErasuresAsync(ulong decidedIn, int number, int max, CancellationToken cancellationToken) =>
        ListAsync(_statements.Erasures, StoredRows.Erasure, cancellationToken, ErasureReader.Parameters(decidedIn, number, last: long.MaxValue, max));

    public ValueTask DisposeAsync() => _transaction.DisposeAsync();

    private Task<T?> FirstAsync<T>(Sql sql, Func<IRows, T> read, CancellationToken cancellationToken, params Parameter[] parameters) =>
        _transaction.RunAsync(session => session.FirstAsync(sql, read, cancellationToken, parameters), cancellationToken);

    private Task<IReadOnlyList<T>> ListAsync<T>(Sql sql, Func<IRows, T> read, CancellationToken cancellationToken, params Parameter[] parameters) =>
        _transaction.RunAsync(session => session.ListAsync(sql, read, cancellationToken, parameters), cancellationToken);
}
