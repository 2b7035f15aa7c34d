using System.Data;
using Npgsql;
using NpgsqlTypes;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>PostgreSqlImport is one transaction that copies rows into empty tables.</summary>
internal sealed class PostgreSqlImport : IStorageImport
{
    private readonly Database _database;
    private readonly NpgsqlConnection _connection;
    private readonly NpgsqlTransaction _transaction;

    private PostgreSqlImport(Database database, NpgsqlConnection connection, NpgsqlTransaction transaction)
    {
        _database = database;
        _connection = connection;
        _transaction = transaction;
    }

    /// <summary>BeginAsync begins on a connection, which the import disposes of at its end. Nobody else writes meanwhile.</summary>
    public static async Task<IStorageImport> BeginAsync(Database database, NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        NpgsqlTransaction transaction = await connection.BeginTransactionAsync(IsolationLevel.ReadCommitted, cancellationToken);
        await using var batch = new NpgsqlBatch(connection);
        _ = batch.Add("SELECT set_config('idle_in_transaction_session_timeout', '0', true), set_config('statement_timeout', '0', true)");
        _ = batch.Add("LOCK TABLE request, pending, outcome, leaf, value, epoch, period, head IN EXCLUSIVE MODE");
        _ = await batch.ExecuteNonQueryAsync(cancellationToken);
        await using NpgsqlCommand any = connection.Command(
            """
            SELECT EXISTS (SELECT FROM request) OR EXISTS (SELECT FROM pending) OR EXISTS (SELECT FROM outcome) OR EXISTS (SELECT FROM leaf) OR EXISTS (SELECT FROM value)
            OR EXISTS (SELECT FROM epoch) OR EXISTS (SELECT FROM period) OR EXISTS (SELECT FROM head WHERE epoch IS NOT NULL OR holder <> '')
            """);
        return (bool)(await any.ExecuteScalarAsync(cancellationToken))!
            ? throw new StorageMisconfiguredException($"The database {database.Location} is not empty: import into a new one, made by 'optiks-db migrate'.")
            : new PostgreSqlImport(database, connection, transaction);
    }

    /// <inheritdoc/>
    public Task AddPeriodsAsync(IReadOnlyList<PeriodRow> periods, CancellationToken cancellationToken) => CopyAsync(
        "period (period, first_epoch, wrapped_secrets, configuration)",
        periods,
        (copy, period) =>
        {
            Write(copy, period.Period);
            Write(copy, period.FirstEpoch);
            Write(copy, period.WrappedSecrets);
            Write(copy, period.Configuration);
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task AddEpochsAsync(IReadOnlyList<StoredEpoch> epochs, CancellationToken cancellationToken) => CopyAsync(
        "epoch (epoch, leaves, value_bytes, record_hash, record, checkpoint)",
        epochs,
        (copy, epoch) =>
        {
            Write(copy, epoch.Row.Epoch);
            Write(copy, (ulong)epoch.Leaves);
            Write(copy, (ulong)epoch.ValueBytes);
            Write(copy, epoch.Row.RecordHash);
            Write(copy, epoch.Row.Record);
            if (epoch.Row.Checkpoint.IsEmpty)
            {
                copy.WriteNull();
            }
            else
            {
                Write(copy, epoch.Row.Checkpoint);
            }
        },
        cancellationToken);

    /// <inheritdoc/>
    public async Task AddLeavesAsync(IReadOnlyList<StoredLeaf> leaves, CancellationToken cancellationToken)
    {
        await CopyAsync(
            "leaf (epoch, period, version, request_id, ordinal, item, structure, label, commitment, tag)",
            leaves,
            (copy, leaf) =>
            {
                Write(copy, leaf.Epoch);
                Write(copy, leaf.Period);
                Write(copy, leaf.Version);
                copy.Write(leaf.Origin.RequestId, NpgsqlDbType.Uuid);
                copy.Write(leaf.Ordinal, NpgsqlDbType.Integer);
                Write(copy, leaf.Origin.Item);
                Write(copy, (int)leaf.Structure);
                Write(copy, leaf.Label);
                Write(copy, leaf.Commitment);
                Write(copy, leaf.Tag);
            },
            cancellationToken);
        await CopyAsync(
            "value (epoch, ordinal, opening, key, value)",
            [.. leaves.Where(leaf => leaf.Value is not null)],
            (copy, leaf) =>
            {
                Write(copy, leaf.Epoch);
                copy.Write(leaf.Ordinal, NpgsqlDbType.Integer);
                Write(copy, leaf.Value!.Opening);
                Write(copy, leaf.Value.Key);
                Write(copy, leaf.Value.Value);
            },
            cancellationToken);
    }

    /// <inheritdoc/>
    public Task AddRequestsAsync(IReadOnlyList<StoredRequest> requests, CancellationToken cancellationToken) => CopyAsync(
        "request (seq, request_id, body_hash)",
        requests,
        (copy, request) =>
        {
            Write(copy, (ulong)request.Sequence);
            copy.Write(request.RequestId, NpgsqlDbType.Uuid);
            Write(copy, request.BodyHash);
        },
        cancellationToken);

    /// <inheritdoc/>
    public async Task AddPendingAsync(IReadOnlyList<StoredPending> pending, CancellationToken cancellationToken)
    {
        Dictionary<long, StoredRequest> requests = await ReadRequestsAsync([.. pending.Select(row => row.Sequence).Distinct()], cancellationToken);
        await CopyAsync(
            "pending (seq, item, structure, expected_period, expected_version, key, value, request_id, body_hash)",
            pending,
            (copy, row) =>
            {
                StoredRequest request = requests.GetValueOrDefault(row.Sequence) ?? throw new StorageCorruptException("The export has a pending update without its request: nothing was imported.");
                Write(copy, (ulong)row.Sequence);
                Write(copy, row.Item);
                Write(copy, (int)row.Update.Structure);
                Write(copy, row.Update.Expected?.Period);
                Write(copy, row.Update.Expected?.Version);
                Write(copy, row.Update.Key);
                Write(copy, row.Update.Value);
                copy.Write(request.RequestId, NpgsqlDbType.Uuid);
                Write(copy, request.BodyHash);
            },
            cancellationToken);
    }

    /// <inheritdoc/>
    public Task AddOutcomesAsync(IReadOnlyList<StoredOutcome> outcomes, CancellationToken cancellationToken) => CopyAsync(
        "outcome (seq, item, epoch, ordinal, refusal, refused_item, current_period, current_version)",
        outcomes,
        (copy, outcome) =>
        {
            Write(copy, (ulong)outcome.Sequence);
            Write(copy, outcome.Item);
            Write(copy, outcome.Epoch);
            if (outcome.Ordinal is int ordinal)
            {
                copy.Write(ordinal, NpgsqlDbType.Integer);
            }
            else
            {
                copy.WriteNull();
            }
            Write(copy, (int?)outcome.Refusal?.Reason);
            Write(copy, outcome.Refusal?.Item);
            Write(copy, outcome.Refusal?.Current.Period);
            Write(copy, outcome.Refusal?.Current.Version);
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task CommitAsync(Head head, CancellationToken cancellationToken) => _database.TranslateAsync<object?>(async () =>
    {
        await using var batch = new NpgsqlBatch(_connection);
        // Numbers given later are above all imported ones.
        _ = batch.Add("SELECT setval('request_seq_seq', max(seq)) FROM request HAVING max(seq) IS NOT NULL");
        _ = batch.Add(
            "UPDATE head SET epoch = $1, record_hash = $2, published_epoch = $3, fence = $4, holder = '', session = '', lease_end = 'epoch'",
            new NpgsqlParameter<long?> { TypedValue = checked((long?)head.Epoch), NpgsqlDbType = NpgsqlDbType.Bigint },
            Commands.Bytea(head.RecordHash),
            new NpgsqlParameter<long?> { TypedValue = checked((long?)head.PublishedEpoch), NpgsqlDbType = NpgsqlDbType.Bigint },
            Commands.Bigint(head.Fence));
        _ = await batch.ExecuteNonQueryAsync(cancellationToken);
        await _transaction.CommitAsync(CancellationToken.None);
        return null;
    });

    public async ValueTask DisposeAsync()
    {
        await _transaction.DisposeAsync();
        await _connection.DisposeAsync();
    }

    private static void Write(NpgsqlBinaryImporter copy, ulong value) => copy.Write(checked((long)value), NpgsqlDbType.Bigint);

    private static void Write(NpgsqlBinaryImporter copy, int value) => copy.Write(checked((short)value), NpgsqlDbType.Smallint);

    private static void Write(NpgsqlBinaryImporter copy, ReadOnlyMemory<byte> value) => copy.Write(value, NpgsqlDbType.Bytea);

    private static void Write(NpgsqlBinaryImporter copy, ulong? value)
    {
        if (value is ulong present)
        {
            Write(copy, present);
            return;
        }
        copy.WriteNull();
    }

    private static void Write(NpgsqlBinaryImporter copy, int? value)
    {
        if (value is int present)
        {
            Write(copy, present);
            return;
        }
        copy.WriteNull();
    }

    private Task<Dictionary<long, StoredRequest>> ReadRequestsAsync(long[] sequences, CancellationToken cancellationToken) => _database.TranslateAsync(async () =>
    {
        var requests = new Dictionary<long, StoredRequest>();
        await using NpgsqlCommand select = _connection.Command(
            "SELECT r.seq, r.request_id, r.body_hash FROM unnest($1) AS p (seq) CROSS JOIN LATERAL (SELECT * FROM request WHERE seq = p.seq OFFSET 0) AS r",
            Commands.List(sequences, NpgsqlDbType.Bigint));
        await using NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancellationToken);
        while (await reader.ReadAsync(cancellationToken))
        {
            requests.Add(reader.GetInt64(0), new StoredRequest(reader.GetInt64(0), reader.GetGuid(1), reader.Octets(2)));
        }
        return requests;
    });

    private Task<object?> CopyAsync<T>(string columns, IReadOnlyList<T> rows, Action<NpgsqlBinaryImporter, T> write, CancellationToken cancellationToken) => _database.TranslateAsync<object?>(async () =>
    {
        await using NpgsqlBinaryImporter copy = await _connection.BeginBinaryImportAsync($"COPY {columns} FROM STDIN (FORMAT BINARY)", cancellationToken);
        foreach (T row in rows)
        {
            await copy.StartRowAsync(cancellationToken);
            write(copy, row);
        }
        _ = await copy.CompleteAsync(cancellationToken);
        return null;
    });
}
