using System.Data;
using Microsoft.Data.SqlClient;
using Optiks.Protocol;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>SqlServerSnapshot is one transaction of isolation level SNAPSHOT. While it is open, the server keeps what others delete.</summary>
internal sealed class SqlServerSnapshot : IStorageSnapshot
{
    private const long MaxValueBytes = 16L << 20;

    private static readonly Statement s_epochs = new(
        "SELECT TOP (@max) Epoch, Record, RecordHash, [Checkpoint], Leaves, ValueBytes FROM optiks.Epoch WHERE Epoch >= @first ORDER BY Epoch");

    // How many fit, before any of them is sent: the length of a value is known without reading it.
    private static readonly Statement s_fitting = new(
        """
        SELECT COUNT_BIG(*) FROM (
          SELECT SUM(COALESCE(CAST(DATALENGTH(v.[Value]) AS bigint), 0)) OVER (ORDER BY l.Epoch, l.Ordinal ROWS UNBOUNDED PRECEDING) - COALESCE(CAST(DATALENGTH(v.[Value]) AS bigint), 0) AS Before
          FROM (SELECT TOP (@max) Epoch, Ordinal FROM optiks.Leaf WHERE Epoch >= @epoch AND (Epoch > @epoch OR Ordinal >= @ordinal) ORDER BY Epoch, Ordinal) AS l
          LEFT JOIN optiks.[Value] AS v ON v.Epoch = l.Epoch AND v.Ordinal = l.Ordinal
        ) AS s WHERE s.Before <= @bytes
        """);

    private static readonly Statement s_leaves = new(
        """
        SELECT TOP (@max) l.Epoch, l.Ordinal, l.Structure, l.Period, l.Version, l.Label, l.Commitment, l.Tag, l.RequestId, l.Item, v.Opening, v.[Key], v.[Value]
        FROM optiks.Leaf AS l LEFT JOIN optiks.[Value] AS v ON v.Epoch = l.Epoch AND v.Ordinal = l.Ordinal
        WHERE l.Epoch >= @epoch AND (l.Epoch > @epoch OR l.Ordinal >= @ordinal) ORDER BY l.Epoch, l.Ordinal
        """);

    private static readonly Statement s_countValues = new("SELECT COUNT_BIG(*) FROM optiks.[Value]");

    private static readonly Statement s_requests = new("SELECT TOP (@max) Seq, RequestId, BodyHash FROM optiks.Request WHERE Seq > @after ORDER BY Seq");

    private static readonly Statement s_pending = new(
        "SELECT Seq, Item, Structure, [Key], [Value], ExpectedPeriod, ExpectedVersion FROM optiks.Pending WHERE Seq > @after AND Seq <= @through ORDER BY Seq, Item");

    private static readonly Statement s_outcomes = new(
        """
        SELECT o.Seq, o.Item, o.Epoch, o.Ordinal, o.Refusal, o.RefusedItem, o.CurrentPeriod, o.CurrentVersion, l.RequestId, l.Item
        FROM optiks.Outcome AS o LEFT JOIN optiks.Leaf AS l ON l.Epoch = o.Epoch AND l.Ordinal = o.Ordinal WHERE o.Seq > @after AND o.Seq <= @through ORDER BY o.Seq, o.Item
        """);

    private readonly LongTransaction _transaction;

    private SqlServerSnapshot(LongTransaction transaction) => _transaction = transaction;

    /// <summary>BeginAsync takes the snapshot.</summary>
    public static async Task<IStorageSnapshot> BeginAsync(Database database, CancellationToken cancellationToken)
    {
        LongTransaction transaction = await database.BeginAsync(IsolationLevel.Snapshot, cancellationToken);
        try
        {
            var snapshot = new SqlServerSnapshot(transaction);
            // The server takes it at the first statement that reads.
            _ = await snapshot.ReadHeadAsync(cancellationToken);
            return snapshot;
        }
        catch
        {
            await transaction.DisposeAsync();
            throw;
        }
    }

    /// <inheritdoc/>
    public Task<Head> ReadHeadAsync(CancellationToken cancellationToken) =>
        _transaction.RunAsync(connection => SqlServerHeadReader.ReadHeadAsync(connection, cancellationToken), cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<PeriodRow>> ReadPeriodsAsync(CancellationToken cancellationToken) =>
        _transaction.RunAsync(connection => SqlServerFollowStore.ReadPeriodsAsync(connection, cancellationToken), cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredEpoch>> ReadEpochsAsync(ulong first, int max, CancellationToken cancellationToken) => ReadAsync(
        s_epochs,
        reader => new StoredEpoch(new EpochRow(reader.Ulong(0), reader.Octets(1), reader.Octets(2), reader.Octets(3)), reader.GetInt64(4), reader.GetInt64(5)),
        cancellationToken,
        Parameters.Bigint("@first", first),
        Parameters.Int("@max", max));

    /// <inheritdoc/>
    public async Task<IReadOnlyList<StoredLeaf>> ReadLeavesAsync(ulong epoch, int ordinal, int max, CancellationToken cancellationToken)
    {
        IReadOnlyList<long> fitting = await ReadAsync(
            s_fitting, reader => reader.GetInt64(0), cancellationToken, [.. From(epoch, ordinal), Parameters.Int("@max", max), Parameters.Bigint("@bytes", MaxValueBytes)]);
        return await ReadAsync(
            s_leaves,
            reader => new StoredLeaf(
                reader.Ulong(0), reader.GetInt32(1), (StructureId)reader.GetByte(2), reader.Ulong(3), reader.Ulong(4), reader.Octets(5), reader.Octets(6), reader.Octets(7),
                new LeafOrigin(reader.RequestId(8), reader.GetByte(9)), reader.IsDBNull(10) ? null : new StoredValue(reader.Octets(10), reader.Octets(11), reader.Octets(12))),
            cancellationToken,
            [.. From(epoch, ordinal), Parameters.Int("@max", checked((int)fitting[0]))]);
    }

    /// <inheritdoc/>
    public async Task<long> CountValuesAsync(CancellationToken cancellationToken) => (await ReadAsync(s_countValues, reader => reader.GetInt64(0), cancellationToken))[0];

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredRequest>> ReadRequestsAsync(long after, int max, CancellationToken cancellationToken) => ReadAsync(
        s_requests,
        reader => new StoredRequest(reader.GetInt64(0), reader.RequestId(1), reader.Octets(2)),
        cancellationToken,
        Parameters.Bigint("@after", after),
        Parameters.Int("@max", max));

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredPending>> ReadPendingAsync(long after, long through, CancellationToken cancellationToken) => ReadAsync(
        s_pending,
        reader => new StoredPending(reader.GetInt64(0), reader.GetByte(1), new AcceptItem(
            (StructureId)reader.GetByte(2), reader.Octets(3), reader.Octets(4), reader.IsDBNull(5) ? null : new ExpectedVersion(reader.Ulong(5), reader.Ulong(6)))),
        cancellationToken,
        Parameters.Bigint("@after", after),
        Parameters.Bigint("@through", through));

    /// <inheritdoc/>
    public Task<IReadOnlyList<StoredOutcome>> ReadOutcomesAsync(long after, long through, CancellationToken cancellationToken) => ReadAsync(
        s_outcomes,
        reader => new StoredOutcome(
            reader.GetInt64(0), reader.GetByte(1), reader.Ulong(2), reader.IsDBNull(3) ? null : reader.GetInt32(3),
            reader.IsDBNull(4) ? null : new Refusal((RefusalReason)reader.GetByte(4), reader.GetByte(5), new ExpectedVersion(reader.Ulong(6), reader.Ulong(7))),
            reader.IsDBNull(8) ? null : new LeafOrigin(reader.RequestId(8), reader.GetByte(9))),
        cancellationToken,
        Parameters.Bigint("@after", after),
        Parameters.Bigint("@through", through));

    public ValueTask DisposeAsync() => _transaction.DisposeAsync();

    private static SqlParameter[] From(ulong epoch, int ordinal) => [Parameters.Bigint("@epoch", epoch), Parameters.Int("@ordinal", ordinal)];

    private Task<IReadOnlyList<T>> ReadAsync<T>(Statement statement, Func<SqlDataReader, T> row, CancellationToken cancellationToken, params SqlParameter[] parameters) =>
        _transaction.RunAsync<IReadOnlyList<T>>(
            async connection =>
            {
                var rows = new List<T>();
                await foreach (SqlDataReader reader in connection.RowsAsync(statement, cancellationToken, parameters))
                {
                    rows.Add(row(reader));
                }
                return rows;
            },
            cancellationToken);
}
