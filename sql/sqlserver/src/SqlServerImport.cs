using System.Data;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>SqlServerImport is one transaction that copies rows into empty tables.</summary>
internal sealed class SqlServerImport : IStorageImport
{
    private static readonly Statement s_any = new(
        """
        SELECT CASE WHEN EXISTS (SELECT 1 FROM optiks.Request) OR EXISTS (SELECT 1 FROM optiks.Pending) OR EXISTS (SELECT 1 FROM optiks.Outcome) OR EXISTS (SELECT 1 FROM optiks.Leaf)
          OR EXISTS (SELECT 1 FROM optiks.[Value]) OR EXISTS (SELECT 1 FROM optiks.Epoch) OR EXISTS (SELECT 1 FROM optiks.Period)
          OR EXISTS (SELECT 1 FROM optiks.Head WHERE Epoch IS NOT NULL OR Holder <> N'') THEN 1 ELSE 0 END
        """);

    private static readonly Statement s_head = new(
        """
        UPDATE optiks.Head SET Epoch = @epoch, RecordHash = @hash, PublishedEpoch = @published, Fence = @fence, Holder = N'', Session = N'', LeaseEnd = '1970-01-01'
        """);

    private readonly LongTransaction _transaction;
    private long _lastSequence;

    private SqlServerImport(LongTransaction transaction) => _transaction = transaction;

    /// <summary>BeginAsync begins. Nobody else writes meanwhile: whoever accepts needs the row that numbers requests, and whoever writes epochs the head's.</summary>
    public static async Task<IStorageImport> BeginAsync(Database database, CancellationToken cancellationToken)
    {
        LongTransaction transaction = await database.BeginAsync(IsolationLevel.ReadCommitted, cancellationToken);
        try
        {
            bool any = await transaction.RunAsync(
                async connection =>
                {
                    _ = await RequestNumbers.DrawAsync(connection, 0, cancellationToken);
                    await Fencing.LockAsync(connection, cancellationToken);
                    return (int)(await connection.ScalarAsync(s_any, cancellationToken))! == 1;
                },
                cancellationToken);
            return any
                ? throw new StorageMisconfiguredException($"The database {transaction.Location} is not empty: import into a new one, made by 'optiks-db migrate'.")
                : new SqlServerImport(transaction);
        }
        catch
        {
            await transaction.DisposeAsync();
            throw;
        }
    }

    /// <inheritdoc/>
    public Task AddPeriodsAsync(IReadOnlyList<PeriodRow> periods, CancellationToken cancellationToken) => CopyAsync(
        Table.Period,
        periods,
        (period, column) => column switch
        {
            0 => Bigint(period.Period),
            1 => Bigint(period.FirstEpoch),
            2 => period.WrappedSecrets.ToArray(),
            _ => period.Configuration.ToArray(),
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task AddEpochsAsync(IReadOnlyList<StoredEpoch> epochs, CancellationToken cancellationToken) => CopyAsync(
        Table.Epoch,
        epochs,
        (epoch, column) => column switch
        {
            0 => Bigint(epoch.Row.Epoch),
            1 => epoch.Leaves,
            2 => epoch.ValueBytes,
            3 => epoch.Row.RecordHash.ToArray(),
            4 => epoch.Row.Record.ToArray(),
            _ => epoch.Row.Checkpoint.IsEmpty ? DBNull.Value : epoch.Row.Checkpoint.ToArray(),
        },
        cancellationToken);

    /// <inheritdoc/>
    public async Task AddLeavesAsync(IReadOnlyList<StoredLeaf> leaves, CancellationToken cancellationToken)
    {
        await CopyAsync(
            Table.Leaf,
            leaves,
            (leaf, column) => column switch
            {
                0 => Bigint(leaf.Epoch),
                1 => leaf.Ordinal,
                2 => (byte)leaf.Structure,
                3 => Bigint(leaf.Period),
                4 => Bigint(leaf.Version),
                5 => leaf.Label.ToArray(),
                6 => leaf.Commitment.ToArray(),
                7 => leaf.Tag.ToArray(),
                8 => Parameters.Octets(leaf.Origin.RequestId),
                _ => checked((byte)leaf.Origin.Item),
            },
            cancellationToken);
        await CopyAsync(
            Table.Value,
            [.. leaves.Where(leaf => leaf.Value is not null)],
            (leaf, column) => column switch
            {
                0 => Bigint(leaf.Epoch),
                1 => leaf.Ordinal,
                2 => leaf.Value!.Opening.ToArray(),
                3 => leaf.Value!.Key.ToArray(),
                _ => leaf.Value!.Value.ToArray(),
            },
            cancellationToken);
    }

    /// <inheritdoc/>
    public Task AddRequestsAsync(IReadOnlyList<StoredRequest> requests, CancellationToken cancellationToken)
    {
        _lastSequence = requests.Count > 0 ? requests[^1].Sequence : _lastSequence;
        return CopyAsync(
            Table.Request,
            requests,
            (request, column) => column switch
            {
                0 => Parameters.Octets(request.RequestId),
                1 => request.Sequence,
                _ => request.BodyHash.ToArray(),
            },
            cancellationToken);
    }

    /// <inheritdoc/>
    public Task AddPendingAsync(IReadOnlyList<StoredPending> pending, CancellationToken cancellationToken) => CopyAsync(
        Table.Pending,
        pending,
        (row, column) => column switch
        {
            0 => row.Sequence,
            1 => checked((byte)row.Item),
            2 => (byte)row.Update.Structure,
            3 => row.Update.Expected is { } expected ? Bigint(expected.Period) : DBNull.Value,
            4 => row.Update.Expected is { } expected ? Bigint(expected.Version) : DBNull.Value,
            5 => row.Update.Key.ToArray(),
            _ => row.Update.Value.ToArray(),
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task AddOutcomesAsync(IReadOnlyList<StoredOutcome> outcomes, CancellationToken cancellationToken) => CopyAsync(
        Table.Outcome,
        outcomes,
        (outcome, column) => column switch
        {
            0 => outcome.Sequence,
            1 => checked((byte)outcome.Item),
            2 => Bigint(outcome.Epoch),
            3 => outcome.Ordinal is int ordinal ? ordinal : DBNull.Value,
            4 => outcome.Refusal is { } refusal ? (byte)refusal.Reason : DBNull.Value,
            5 => outcome.Refusal is { } refusal ? checked((byte)refusal.Item) : DBNull.Value,
            6 => outcome.Refusal is { } refusal ? Bigint(refusal.Current.Period) : DBNull.Value,
            _ => outcome.Refusal is { } refusal ? Bigint(refusal.Current.Version) : DBNull.Value,
        },
        cancellationToken);

    /// <inheritdoc/>
    public async Task CommitAsync(Head head, CancellationToken cancellationToken)
    {
        _ = await _transaction.RunAsync(
            async connection =>
            {
                // Numbers given later are above all imported ones.
                await RequestNumbers.SetAsync(connection, _lastSequence, cancellationToken);
                return await connection.ChangeAsync(
                    s_head,
                    cancellationToken,
                    Parameters.NullableBigint("@epoch", head.Epoch),
                    Parameters.Binary("@hash", head.RecordHash),
                    Parameters.NullableBigint("@published", head.PublishedEpoch),
                    Parameters.Bigint("@fence", head.Fence));
            },
            cancellationToken);
        await _transaction.CommitAsync();
    }

    public ValueTask DisposeAsync() => _transaction.DisposeAsync();

    private static long Bigint(ulong value) => checked((long)value);

    private Task<object?> CopyAsync<T>(Table table, IReadOnlyList<T> rows, Func<T, int, object> cell, CancellationToken cancellationToken) => _transaction.RunAsync<object?>(
        async connection =>
        {
            await connection.CopyAsync(table, rows.Count, (row, column) => cell(rows[row], column), cancellationToken);
            return null;
        },
        cancellationToken);
}
