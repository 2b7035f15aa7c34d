namespace Optiks.Storage;

/// <summary>
/// Fills an empty database in one transaction. When the import is disposed of without <see cref="CommitAsync"/>, the database stays empty.
/// Callers add the rows of each table in the order of its primary key, epochs before their leaves, and requests before their pending rows
/// and outcomes. Not thread-safe.
/// </summary>
public sealed class StorageImport : IAsyncDisposable
{
    private readonly Statements _statements;
    private readonly ITransaction _transaction;
    private long _lastSequence;

    internal StorageImport(Statements statements, ITransaction transaction)
    {
        _statements = statements;
        _transaction = transaction;
    }

    /// <summary>Adds periods.</summary>
    public Task AddPeriodsAsync(IReadOnlyList<PeriodRow> periods, CancellationToken cancellationToken) => CopyAsync(
        Table.Period,
        periods,
        (cells, period) =>
        {
            cells.WriteUInt64(period.Period);
            cells.WriteInt16((int)period.State);
            cells.WriteUInt64(period.FirstEpoch);
            cells.WriteInt32(period.Copies);
            cells.WriteBytes(period.WrappedSecrets);
            cells.WriteBytes(period.Configuration);
        },
        cancellationToken);

    /// <summary>Adds the rows of epochs, with their checkpoints.</summary>
    public Task AddEpochsAsync(IReadOnlyList<StoredEpoch> epochs, CancellationToken cancellationToken) => CopyAsync(
        Table.Epoch,
        epochs,
        (cells, epoch) =>
        {
            cells.WriteUInt64(epoch.Row.Epoch);
            cells.WriteInt64(epoch.Leaves);
            cells.WriteInt64(epoch.ValueBytes);
            cells.WriteBytes(epoch.Row.RecordHash);
            cells.WriteBytes(epoch.Row.Record);
            if (epoch.Row.Checkpoint.IsEmpty)
            {
                cells.WriteNull();
                return;
            }
            cells.WriteBytes(epoch.Row.Checkpoint);
        },
        cancellationToken);

    /// <summary>Adds leaves and their values.</summary>
    public async Task AddLeavesAsync(IReadOnlyList<StoredLeaf> leaves, CancellationToken cancellationToken)
    {
        await CopyAsync(
            Table.Leaf,
            leaves,
            (cells, leaf) =>
            {
                cells.WriteUInt64(leaf.Epoch);
                cells.WriteInt32(leaf.Ordinal);
                cells.WriteInt16((int)leaf.Structure);
                cells.WriteUInt64(leaf.Period);
                cells.WriteUInt64(leaf.Version);
                cells.WriteBytes(leaf.Label);
                cells.WriteBytes(leaf.Commitment);
                cells.WriteBytes(leaf.Tag);
                cells.WriteRequestId(leaf.Origin.RequestId);
                cells.WriteInt16(leaf.Origin.Item);
            },
            cancellationToken);
        await CopyAsync(
            Table.Value,
            [.. leaves.Where(leaf => leaf.Value is not null)],
            (cells, leaf) =>
            {
                cells.WriteUInt64(leaf.Epoch);
                cells.WriteInt32(leaf.Ordinal);
                cells.WriteBytes(leaf.Value!.Opening);
                cells.WriteBytes(leaf.Value.Key);
                cells.WriteBytes(leaf.Value.Value);
            },
            cancellationToken);
    }

    /// <summary>Adds copies and their values.</summary>
    public async Task AddCopiesAsync(IReadOnlyList<StoredCopy> copies, CancellationToken cancellationToken)
    {
        await CopyAsync(
            Table.Copy,
            copies,
            (cells, copy) =>
            {
                PeriodWriter.WriteCopyStart(cells, copy.Period, copy.Number, (int)copy.Structure, copy.Source);
                cells.WriteBytes(copy.Label);
                cells.WriteBytes(copy.Commitment);
                cells.WriteBytes(copy.Tag);
            },
            cancellationToken);
        await CopyAsync(
            Table.CopyValue,
            [.. copies.Where(copy => copy.Value is not null)],
            (cells, copy) =>
            {
                cells.WriteUInt64(copy.Period);
                cells.WriteInt32(copy.Number);
                cells.WriteBytes(copy.Value!.Opening);
                cells.WriteBytes(copy.Value.Key);
                cells.WriteBytes(copy.Value.Value);
            },
            cancellationToken);
        // An export that an earlier version of optiks-db wrote may contain values of copies that later rows superseded, so the import
        // deletes these values.
        foreach (IGrouping<ulong, StoredCopy> added in copies.GroupBy(copy => copy.Period))
        {
            _ = await _transaction.RunAsync(
                session => session.ChangeAsync(
                    _statements.DropSuperseded, cancellationToken, Parameter.Create("period", added.Key),
                    Parameter.Create("number", added.Min(copy => copy.Number))),
                cancellationToken);
        }
    }

    /// <summary>Adds requests under their existing sequence numbers; requests that are accepted later get higher numbers.</summary>
    public Task AddRequestsAsync(IReadOnlyList<StoredRequest> requests, CancellationToken cancellationToken)
    {
        _lastSequence = requests.Count > 0 ? requests[^1].Sequence : _lastSequence;
        return CopyAsync(
            Table.Request,
            requests,
            (cells, request) =>
            {
                cells.WriteInt64(request.Sequence);
                cells.WriteRequestId(request.RequestId);
                cells.WriteBytes(request.BodyHash);
            },
            cancellationToken);
    }

    /// <summary>Adds pending rows.</summary>
    public async Task AddPendingAsync(IReadOnlyList<StoredPending> pending, CancellationToken cancellationToken)
    {
        IReadOnlyDictionary<long, StoredRequest>? requests = await _transaction.RunAsync(
            session => session.FindRequestsAsync([.. pending.Select(row => row.Sequence).Distinct()], cancellationToken),
            cancellationToken);
        await CopyAsync(
            Table.Pending,
            pending,
            (cells, row) =>
            {
                cells.WriteInt64(row.Sequence);
                cells.WriteInt16(row.Item);
                cells.WriteInt16((int)row.Update.Structure);
                cells.WriteUInt64(row.Update.Expected?.Period);
                cells.WriteUInt64(row.Update.Expected?.Version);
                cells.WriteBytes(row.Update.Key);
                cells.WriteBytes(row.Update.Value);
                if (requests is not null)
                {
                    StoredRequest request = requests.GetValueOrDefault(row.Sequence)
                        ?? throw new StorageCorruptException("The export has a pending update without its request: nothing was imported.");
                    cells.WriteRequestId(request.RequestId);
                    cells.WriteBytes(request.BodyHash);
                }
            },
            cancellationToken);
    }

    /// <summary>Adds outcomes.</summary>
    public Task AddOutcomesAsync(IReadOnlyList<StoredOutcome> outcomes, CancellationToken cancellationToken) => CopyAsync(
        Table.Outcome,
        outcomes,
        (cells, outcome) => RowWriting.WriteOutcome(cells, outcome.Sequence, outcome.Item, outcome.Epoch, outcome.Result),
        cancellationToken);

    /// <summary>Adds rows of the erasure sequence. This call deletes no values, because the caller adds the leaves without the erased
    /// values.</summary>
    public Task AddErasuresAsync(IReadOnlyList<StoredErasure> erasures, CancellationToken cancellationToken) => CopyAsync(
        Table.Erasure, erasures, (cells, row) => RowWriting.WriteErasure(cells, row.DecidedIn, row.Number, row.Erasure), cancellationToken);

    /// <summary>Sets the epoch, hash, published epoch and fence in the head row, without a holder of the lease, and makes the whole import
    /// durable.</summary>
    public async Task CommitAsync(HeadRow head, CancellationToken cancellationToken)
    {
        _ = await _transaction.RunAsync(
            async session =>
            {
                if (_statements.ContinueNumbers is { } continueNumbers && _lastSequence > 0)
                {
                    _ = await session.ChangeAsync(continueNumbers, cancellationToken, Parameter.Create("last", _lastSequence));
                }
                return await session.ChangeAsync(
                    _statements.SetHead,
                    cancellationToken,
                    Parameter.Create("epoch", head.Epoch),
                    Parameter.Create("hash", head.RecordHash),
                    Parameter.Create("published", head.PublishedEpoch),
                    Parameter.Create("fence", head.Fence));
            },
            cancellationToken);
        await _transaction.CommitAsync();
    }

    public ValueTask DisposeAsync() => _transaction.DisposeAsync();

    private Task<int> CopyAsync<T>(Table table, IReadOnlyList<T> rows, Action<IRowWriter, T> write, CancellationToken cancellationToken) =>
        _transaction.RunAsync(
        async session =>
        {
            await session.CopyAsync(table, rows.Count, (cells, i) => write(cells, rows[i]), cancellationToken);
            return rows.Count;
        },
        cancellationToken);
}
