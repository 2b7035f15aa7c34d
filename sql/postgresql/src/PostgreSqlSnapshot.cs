using System.Data;
using Npgsql;
using Optiks.Protocol;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>PostgreSqlSnapshot is one repeatable-read transaction. While it is open, the server keeps what others delete.</summary>
internal sealed class PostgreSqlSnapshot : IStorageSnapshot
{
    private const long MaxValueBytes = 16L << 20;

    private readonly Database _database;
    private readonly NpgsqlConnection _connection;
    private readonly NpgsqlTransaction _transaction;

    private PostgreSqlSnapshot(Database database, NpgsqlConnection connection, NpgsqlTransaction transaction)
    {
        _database = database;
        _connection = connection;
        _transaction = transaction;
    }

    /// <summary>BeginAsync takes the snapshot on a connection, which it disposes of at its own end.</summary>
    public static async Task<IStorageSnapshot> BeginAsync(Database database, NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        NpgsqlTransaction transaction = await connection.BeginTransactionAsync(IsolationLevel.RepeatableRead, cancellationToken);
        // The caller may think for long between two pages. PostgreSQL takes the snapshot at the first query.
        await using NpgsqlCommand begin = connection.Command(
            "SELECT set_config('idle_in_transaction_session_timeout', '0', true), set_config('statement_timeout', '0', true), (SELECT count(*) FROM head)");
        _ = await begin.ExecuteScalarAsync(cancellationToken);
        return new PostgreSqlSnapshot(database, connection, transaction);
    }

    /// <inheritdoc/>
    public Task<Head> ReadHeadAsync(CancellationToken cancellationToken) => _database.TranslateAsync(() => PostgreSqlHeadReader.ReadHeadAsync(_connection, cancellationToken));

    /// <inheritdoc/>
    public Task<IReadOnlyList<PeriodRow>> ReadPeriodsAsync(CancellationToken cancellationToken) =>
        _database.TranslateAsync(() => PostgreSqlFollowStore.ReadPeriodsAsync(_connection, cancellationToken));

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredEpoch>> ReadEpochsAsync(ulong first, int max, CancellationToken cancellationToken) => ReadAsync(
        "SELECT epoch, record, record_hash, checkpoint, leaves, value_bytes FROM epoch WHERE epoch >= $1 ORDER BY epoch LIMIT $2",
        reader => new StoredEpoch(new EpochRow(reader.Ulong(0), reader.Octets(1), reader.Octets(2), reader.Octets(3)), reader.GetInt64(4), reader.GetInt64(5)),
        cancellationToken,
        Commands.Bigint(first),
        Commands.Integer(max));

    /// <inheritdoc/>
    public async Task<IReadOnlyList<StoredLeaf>> ReadLeavesAsync(ulong epoch, int ordinal, int max, CancellationToken cancellationToken)
    {
        // How many fit, before any of them is sent: lengths of values are in their rows' headers.
        IReadOnlyList<long> fitting = await ReadAsync(
            """
            SELECT count(*) FROM (
              SELECT sum(coalesce(octet_length(v.value), 0)) OVER (ORDER BY l.epoch, l.ordinal) - coalesce(octet_length(v.value), 0) AS before
              FROM (SELECT epoch, ordinal FROM leaf WHERE (epoch, ordinal) >= ($1, $2) ORDER BY epoch, ordinal LIMIT $3) AS l
              LEFT JOIN value AS v ON v.epoch = l.epoch AND v.ordinal = l.ordinal
            ) AS s WHERE s.before <= $4
            """,
            reader => reader.GetInt64(0),
            cancellationToken,
            Commands.Bigint(epoch),
            Commands.Integer(ordinal),
            Commands.Integer(max),
            Commands.Bigint(MaxValueBytes));
        return await ReadAsync(
            """
            SELECT l.epoch, l.ordinal, l.structure, l.period, l.version, l.label, l.commitment, l.tag, l.request_id, l.item, v.opening, v.key, v.value
            FROM leaf AS l LEFT JOIN value AS v ON v.epoch = l.epoch AND v.ordinal = l.ordinal
            WHERE (l.epoch, l.ordinal) >= ($1, $2) ORDER BY l.epoch, l.ordinal LIMIT $3
            """,
            reader => new StoredLeaf(
                reader.Ulong(0), reader.GetInt32(1), (StructureId)reader.GetInt16(2), reader.Ulong(3), reader.Ulong(4), reader.Octets(5), reader.Octets(6), reader.Octets(7),
                new LeafOrigin(reader.GetGuid(8), reader.GetInt16(9)), reader.IsDBNull(10) ? null : new StoredValue(reader.Octets(10), reader.Octets(11), reader.Octets(12))),
            cancellationToken,
            Commands.Bigint(epoch),
            Commands.Integer(ordinal),
            Commands.Bigint(fitting[0]));
    }

    /// <inheritdoc/>
    public async Task<long> CountValuesAsync(CancellationToken cancellationToken) =>
        (await ReadAsync("SELECT count(*) FROM value", reader => reader.GetInt64(0), cancellationToken))[0];

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredRequest>> ReadRequestsAsync(long after, int max, CancellationToken cancellationToken) => ReadAsync(
        "SELECT seq, request_id, body_hash FROM request WHERE seq > $1 ORDER BY seq LIMIT $2",
        reader => new StoredRequest(reader.GetInt64(0), reader.GetGuid(1), reader.Octets(2)),
        cancellationToken,
        Commands.Bigint(after),
        Commands.Integer(max));

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredPending>> ReadPendingAsync(long after, long through, CancellationToken cancellationToken) => ReadAsync(
        """
        SELECT p.seq, p.item, p.structure, p.key, p.value, p.expected_period, p.expected_version, r.same
        FROM pending AS p LEFT JOIN LATERAL (SELECT p.request_id = request_id AND p.body_hash = body_hash AS same FROM request WHERE seq = p.seq OFFSET 0) AS r ON true
        WHERE p.seq > $1 AND p.seq <= $2 ORDER BY p.seq, p.item
        """,
        reader => reader.IsDBNull(7) || reader.GetBoolean(7)
            ? new StoredPending(reader.GetInt64(0), reader.GetInt16(1), new AcceptItem(
                (StructureId)reader.GetInt16(2), reader.Octets(3), reader.Octets(4), reader.IsDBNull(5) ? null : new ExpectedVersion(reader.Ulong(5), reader.Ulong(6))))
            : throw new StorageCorruptException($"The pending update {reader.GetInt64(0)}, {reader.GetInt16(1)} names another request than its own: restore the database."),
        cancellationToken,
        Commands.Bigint(after),
        Commands.Bigint(through));

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredOutcome>> ReadOutcomesAsync(long after, long through, CancellationToken cancellationToken) => ReadAsync(
        """
        SELECT o.seq, o.item, o.epoch, o.ordinal, o.refusal, o.refused_item, o.current_period, o.current_version, l.request_id, l.item
        FROM outcome AS o LEFT JOIN leaf AS l ON l.epoch = o.epoch AND l.ordinal = o.ordinal WHERE o.seq > $1 AND o.seq <= $2 ORDER BY o.seq, o.item
        """,
        reader => new StoredOutcome(
            reader.GetInt64(0), reader.GetInt16(1), reader.Ulong(2), reader.IsDBNull(3) ? null : reader.GetInt32(3),
            reader.IsDBNull(4) ? null : new Refusal((RefusalReason)reader.GetInt16(4), reader.GetInt16(5), new ExpectedVersion(reader.Ulong(6), reader.Ulong(7))),
            reader.IsDBNull(8) ? null : new LeafOrigin(reader.GetGuid(8), reader.GetInt16(9))),
        cancellationToken,
        Commands.Bigint(after),
        Commands.Bigint(through));

    public async ValueTask DisposeAsync()
    {
        await _transaction.DisposeAsync();
        await _connection.DisposeAsync();
    }

    private Task<IReadOnlyList<T>> ReadAsync<T>(string sql, Func<NpgsqlDataReader, T> row, CancellationToken cancellationToken, params NpgsqlParameter[] parameters) =>
        _database.TranslateAsync<IReadOnlyList<T>>(async () =>
        {
            var rows = new List<T>();
            await using NpgsqlCommand select = _connection.Command(sql, parameters);
            await using NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancellationToken);
            while (await reader.ReadAsync(cancellationToken))
            {
                rows.Add(row(reader));
            }
            return rows;
        });
}
