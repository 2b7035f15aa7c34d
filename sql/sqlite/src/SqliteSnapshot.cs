using Optiks.Protocol;
using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>SqliteSnapshot is one read transaction of a connection of its own. While it is open, SQLite's log keeps what others write and cannot be cut.</summary>
internal sealed class SqliteSnapshot : IStorageSnapshot
{
    private const long MaxValueBytes = 16L << 20;

    private readonly Connection _connection;

    public SqliteSnapshot(SqliteSettings settings)
    {
        _connection = Connection.Open(settings, readOnly: true);
        try
        {
            SqliteSchema.ThrowIfUnusable(_connection);
            _connection.Execute("BEGIN");
            // SQLite takes its snapshot at the first read.
            _ = _connection.ReadLong("SELECT count(*) FROM head");
        }
        catch
        {
            _connection.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public Task<Head> ReadHeadAsync(CancellationToken cancellationToken) => RunAsync(() => SqliteHeadReader.ReadHead(_connection), cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<PeriodRow>> ReadPeriodsAsync(CancellationToken cancellationToken) => RunAsync(() => SqliteFollowStore.ReadPeriods(_connection), cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredEpoch>> ReadEpochsAsync(ulong first, int max, CancellationToken cancellationToken) => RunAsync<IReadOnlyList<StoredEpoch>>(
        () =>
        {
            var rows = new List<StoredEpoch>();
            using Statement select = _connection.Prepare("SELECT epoch, record, record_hash, checkpoint, leaves, value_bytes FROM epoch WHERE epoch >= ? ORDER BY epoch LIMIT ?");
            select.Bind(1, first).Bind(2, max);
            while (select.Step())
            {
                var row = new EpochRow(select.ULong(0), select.Octets(1), select.Octets(2), select.Octets(3));
                rows.Add(new StoredEpoch(row, select.Long(4), select.Long(5)));
            }
            return rows;
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredLeaf>> ReadLeavesAsync(ulong epoch, int ordinal, int max, CancellationToken cancellationToken) => RunAsync<IReadOnlyList<StoredLeaf>>(
        () =>
        {
            var rows = new List<StoredLeaf>();
            long valueBytes = 0;
            using Statement select = _connection.Prepare(
                """
                SELECT l.id, l.structure, l.period, l.version, l.label, l.commitment, l.tag, l.request_id, l.item, v.opening, v.key, v.value
                FROM leaf AS l LEFT JOIN value AS v ON v.id = l.id WHERE l.id >= ? ORDER BY l.id LIMIT ?
                """);
            select.Bind(1, RowIds.Leaf(epoch, ordinal)).Bind(2, max);
            while (valueBytes <= MaxValueBytes && select.Step())
            {
                StoredValue? value = select.IsNull(9) ? null : new StoredValue(select.Octets(9), select.Octets(10), select.Octets(11));
                valueBytes += value?.Value.Length ?? 0;
                rows.Add(new StoredLeaf(
                    RowIds.EpochOf(select.Long(0)), RowIds.OrdinalOf(select.Long(0)), (StructureId)select.Int(1), select.ULong(2), select.ULong(3), select.Octets(4), select.Octets(5),
                    select.Octets(6), new LeafOrigin(select.RequestId(7), select.Int(8)), value));
            }
            return rows;
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task<long> CountValuesAsync(CancellationToken cancellationToken) => RunAsync(() => _connection.ReadLong("SELECT count(*) FROM value"), cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredRequest>> ReadRequestsAsync(long after, int max, CancellationToken cancellationToken) => RunAsync<IReadOnlyList<StoredRequest>>(
        () =>
        {
            var rows = new List<StoredRequest>();
            using Statement select = _connection.Prepare("SELECT seq, request_id, body_hash FROM request WHERE seq > ? ORDER BY seq LIMIT ?");
            select.Bind(1, after).Bind(2, max);
            while (select.Step())
            {
                rows.Add(new StoredRequest(select.Long(0), select.RequestId(1), select.Octets(2)));
            }
            return rows;
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredPending>> ReadPendingAsync(long after, long through, CancellationToken cancellationToken) => RunAsync<IReadOnlyList<StoredPending>>(
        () =>
        {
            var rows = new List<StoredPending>();
            using Statement select = _connection.Prepare(
                "SELECT id, structure, key, value, expected_period, expected_version FROM pending WHERE id BETWEEN ? AND ? ORDER BY id");
            select.Bind(1, FirstAfter(after)).Bind(2, LastThrough(through));
            while (select.Step())
            {
                ExpectedVersion? expected = select.IsNull(4) ? null : new ExpectedVersion(select.ULong(4), select.ULong(5));
                var update = new AcceptItem((StructureId)select.Int(1), select.Octets(2), select.Octets(3), expected);
                rows.Add(new StoredPending(RowIds.SequenceOf(select.Long(0)), RowIds.ItemOf(select.Long(0)), update));
            }
            return rows;
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredOutcome>> ReadOutcomesAsync(long after, long through, CancellationToken cancellationToken) => RunAsync<IReadOnlyList<StoredOutcome>>(
        () =>
        {
            var rows = new List<StoredOutcome>();
            using Statement select = _connection.Prepare(
                """
                SELECT o.id, o.epoch, o.ordinal, o.refusal, o.refused_item, o.current_period, o.current_version, l.request_id, l.item
                FROM outcome AS o LEFT JOIN leaf AS l ON l.id = (o.epoch << 28 | o.ordinal) WHERE o.id BETWEEN ? AND ? ORDER BY o.id
                """);
            select.Bind(1, FirstAfter(after)).Bind(2, LastThrough(through));
            while (select.Step())
            {
                long id = select.Long(0);
                Refusal? refusal = select.IsNull(3)
                    ? null
                    : new Refusal((RefusalReason)select.Int(3), select.Int(4), new ExpectedVersion(select.ULong(5), select.ULong(6)));
                LeafOrigin? leaf = select.IsNull(7) ? null : new LeafOrigin(select.RequestId(7), select.Int(8));
                rows.Add(new StoredOutcome(RowIds.SequenceOf(id), RowIds.ItemOf(id), select.ULong(1), select.IsNull(2) ? null : select.Int(2), refusal, leaf));
            }
            return rows;
        },
        cancellationToken);

    public ValueTask DisposeAsync()
    {
        _connection.Dispose();
        return ValueTask.CompletedTask;
    }

    private static long FirstAfter(long sequence) => sequence >= RowIds.MaxSequence ? long.MaxValue : RowIds.Item(sequence + 1, 0);

    private static long LastThrough(long sequence) => sequence >= RowIds.MaxSequence ? long.MaxValue : RowIds.LastItem(sequence);

    private static Task<T> RunAsync<T>(Func<T> work, CancellationToken cancellationToken) => Task.Run(work, cancellationToken);
}
