using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>Implements the update-service's store on SQLite.</summary>
internal sealed class SqliteAcceptStore : AcceptStore
{
    private readonly Database _database;

    public SqliteAcceptStore(Database database)
        : base(database) => _database = database;

    /// <inheritdoc/>
    public override Task<IReadOnlyList<AcceptResult>> AcceptAsync(
        IReadOnlyList<AcceptUnit> units, HeadFloor floor, CancellationToken cancellationToken)
    {
        var plan = new AcceptPlan(units, floor);
        return _database.WriteAsync(
            async (session, cancel) =>
            {
                Connection connection = session.Connection;
                IReadOnlyList<AcceptResult> results = plan.Decide(
                    new AcceptState(await ReadClockAsync(session, cancel), await session.ReadHeadAsync(cancel),
                        CountPending(connection, plan), ReadKnown(connection, plan)));
                foreach (AcceptRequest request in plan.NewRequests)
                {
                    Insert(connection, request);
                }
                FailPoints.Hit(FailPoints.Draw);
                return new WriteResult<IReadOnlyList<AcceptResult>>(results, Commit: plan.NewRequests.Count > 0);
            },
            resolve: null,
            cancellationToken);
    }

    /// <inheritdoc/>
    public override Task CheckWritableAsync(CancellationToken cancellationToken)
    {
        _database.ThrowIfReadOnly();
        return Task.CompletedTask;
    }

    private static Dictionary<Guid, ReadOnlyMemory<byte>> ReadKnown(Connection connection, AcceptPlan plan)
    {
        var known = new Dictionary<Guid, ReadOnlyMemory<byte>>();
        using Statement select = connection.Prepare("SELECT body_hash FROM request WHERE request_id = ?");
        foreach (Guid id in plan.RequestIds)
        {
            if (select.Reset().Bind(1, id).Step())
            {
                known.Add(id, select.GetBytes(0));
            }
        }
        return known;
    }

    private static Dictionary<UpdateKey, int> CountPending(Connection connection, AcceptPlan plan)
    {
        var pending = new Dictionary<UpdateKey, int>();
        using Statement select = connection.Prepare("SELECT count(*) FROM pending WHERE structure = ? AND key = ?");
        foreach (UpdateKey key in plan.Keys)
        {
            _ = select.Reset().Bind(1, (long)key.Structure).Bind(2, key.Key.Span).Step();
            if (select.GetInt32(0) is > 0 and int count)
            {
                pending.Add(key, count);
            }
        }
        return pending;
    }

    private static void Insert(Connection connection, AcceptRequest request)
    {
        long sequence;
        using (Statement insert = connection.Prepare("INSERT INTO request (request_id, body_hash) VALUES (?, ?)"))
        {
            insert.Bind(1, request.RequestId).Bind(2, request.BodyHash.Span).Execute();
            sequence = connection.LastRowId;
        }
        using Statement item = connection.Prepare(
            "INSERT INTO pending (id, structure, expected_period, expected_version, key, value) VALUES (?, ?, ?, ?, ?, ?)");
        for (int i = 0; i < request.Items.Count; i++)
        {
            AcceptItem update = request.Items[i];
            item.Bind(1, RowIds.Item(sequence, i)).Bind(2, (long)update.Structure).Bind(3, update.Expected?.Period)
                .Bind(4, update.Expected?.Version)
                .Bind(5, update.Key.Span).Bind(6, update.Value.Span).Execute();
        }
    }
}
