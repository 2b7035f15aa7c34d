using Microsoft.Data.SqlClient;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>SqlServerAcceptStore is the update-service's view.</summary>
internal sealed class SqlServerAcceptStore : SqlServerHeadReader, IAcceptStore
{
    private static readonly Statement s_known = new("SELECT r.RequestId, r.BodyHash FROM @ids AS i JOIN optiks.Request AS r ON r.RequestId = i.RequestId");

    private static readonly Statement s_pending = new(
        "SELECT k.Number, COUNT_BIG(*) FROM @keys AS k JOIN optiks.Pending AS p ON p.Structure = k.Structure AND p.[Key] = k.[Key] GROUP BY k.Number");

    private static readonly Statement s_insertRequests = new("INSERT INTO optiks.Request (RequestId, Seq, BodyHash) SELECT RequestId, Seq, BodyHash FROM @requests");

    private static readonly Statement s_insertPending = new(
        """
        INSERT INTO optiks.Pending (Seq, Item, Structure, ExpectedPeriod, ExpectedVersion, [Key], [Value])
        SELECT Seq, Item, Structure, NULLIF(ExpectedPeriod, -1), NULLIF(ExpectedVersion, -1), [Key], [Value] FROM @pending
        """);

    public SqlServerAcceptStore(Database database)
        : base(database)
    {
    }

    /// <inheritdoc/>
    public int? ConcurrentUpdates => null;

    /// <inheritdoc/>
    public Task<IReadOnlyList<AcceptResult>> AcceptAsync(IReadOnlyList<AcceptUnit> units, HeadFloor floor, CancellationToken cancellationToken)
    {
        // The caller's errors are found before a connection is taken.
        AcceptPlan.ThrowIfInvalid(units);
        return Database.WriteAsync<IReadOnlyList<AcceptResult>>(
            async (connection, cancel) =>
            {
                // A plan decides once: a second try makes its own.
                var plan = new AcceptPlan(units, floor);
                // First: each statement after it sees what was committed before the row was got.
                (long last, DateTimeOffset now) = await RequestNumbers.DrawAsync(connection, plan.RequestIds.Count, cancel);
                IReadOnlyList<AcceptResult> results = await DecideAsync(connection, plan, now, cancel);
                await InsertAsync(connection, plan.NewRequests, last, cancel);
                return new WriteResult<IReadOnlyList<AcceptResult>>(results, Commit: plan.NewRequests.Count > 0);
            },
            resolve: null,
            cancellationToken);
    }

    /// <inheritdoc/>
    public Task<RequestStatus?> ReadStatusAsync(Guid requestId, CancellationToken cancellationToken) =>
        Database.ReadAsync((connection, cancel) => RequestStatusReader.ReadAsync(connection, requestId, cancel), cancellationToken);

    private static async Task<IReadOnlyList<AcceptResult>> DecideAsync(Connection connection, AcceptPlan plan, DateTimeOffset now, CancellationToken cancellationToken)
    {
        var known = new Dictionary<Guid, ReadOnlyMemory<byte>>();
        foreach (Guid[] chunk in connection.Chunks(plan.RequestIds))
        {
            await foreach (SqlDataReader reader in connection.RowsAsync(s_known, cancellationToken, Lists.RequestIds.Parameter("@ids", chunk)))
            {
                known.Add(reader.RequestId(0), reader.Octets(1));
            }
        }
        UpdateKey[] keys = [.. plan.Keys];
        var pending = new Dictionary<UpdateKey, int>();
        foreach ((int, UpdateKey)[] chunk in connection.Chunks(keys.Select((key, i) => (i, key))))
        {
            await foreach (SqlDataReader reader in connection.RowsAsync(s_pending, cancellationToken, Lists.Keys.Parameter("@keys", chunk)))
            {
                pending.Add(keys[reader.GetInt32(0)], checked((int)reader.GetInt64(1)));
            }
        }
        return plan.Decide(known, pending, now, await ReadHeadAsync(connection, cancellationToken));
    }

    private static async Task InsertAsync(Connection connection, IReadOnlyList<AcceptRequest> requests, long last, CancellationToken cancellationToken)
    {
        foreach ((long, Guid, ReadOnlyMemory<byte>)[] chunk in connection.Chunks(requests.Select((request, i) => (last + i + 1, request.RequestId, request.BodyHash))))
        {
            _ = await connection.ExecuteAsync(s_insertRequests, cancellationToken, Lists.Requests.Parameter("@requests", chunk));
        }
        foreach ((long, int, AcceptItem)[] chunk in connection.Chunks(requests.SelectMany((request, i) => request.Items.Select((item, j) => (last + i + 1, j, item)))))
        {
            _ = await connection.ExecuteAsync(s_insertPending, cancellationToken, Lists.Pending.Parameter("@pending", chunk));
        }
    }
}
