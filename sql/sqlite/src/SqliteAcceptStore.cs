using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>SqliteAcceptStore is the update-service's view.</summary>
internal sealed class SqliteAcceptStore : SqliteHeadReader, IAcceptStore
{
    private readonly Writer _writer;

    public SqliteAcceptStore(SqliteSettings settings, TimeProvider clock)
        : base(settings, clock) => _writer = new Writer(settings);

    /// <inheritdoc/>
    public int? ConcurrentUpdates => null;

    /// <inheritdoc/>
    public Task<IReadOnlyList<AcceptResult>> AcceptAsync(IReadOnlyList<AcceptUnit> units, HeadFloor floor, CancellationToken cancellationToken)
    {
        var plan = new AcceptPlan(units, floor);
        return _writer.RunAsync(
            connection =>
            {
                IReadOnlyList<AcceptResult> results = plan.Decide(ReadKnown(connection, plan), CountPending(connection, plan), Now(), ReadHead(connection));
                foreach (AcceptRequest request in plan.NewRequests)
                {
                    Insert(connection, request);
                }
                FailPoints.Hit(FailPoints.Draw);
                return new WriteResult<IReadOnlyList<AcceptResult>>(results, Commit: plan.NewRequests.Count > 0);
            },
            wasCommitted: null,
            cancellationToken);
    }

    /// <inheritdoc/>
    public Task CheckWritableAsync(CancellationToken cancellationToken)
    {
        _writer.ThrowIfReadOnly();
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task<RequestStatus?> ReadStatusAsync(Guid requestId, CancellationToken cancellationToken) =>
        Readers.RunAsync(connection => ReadStatus(connection, requestId), cancellationToken);

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        await _writer.DisposeAsync();
        await base.DisposeAsync();
    }

    private static Dictionary<Guid, ReadOnlyMemory<byte>> ReadKnown(Connection connection, AcceptPlan plan)
    {
        var known = new Dictionary<Guid, ReadOnlyMemory<byte>>();
        using Statement select = connection.Prepare("SELECT body_hash FROM request WHERE request_id = ?");
        foreach (Guid id in plan.RequestIds)
        {
            if (select.Reset().Bind(1, id).Step())
            {
                known.Add(id, select.Octets(0));
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
            if (select.Int(0) is > 0 and int count)
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
        using Statement item = connection.Prepare("INSERT INTO pending (id, structure, expected_period, expected_version, key, value) VALUES (?, ?, ?, ?, ?, ?)");
        for (int i = 0; i < request.Items.Count; i++)
        {
            AcceptItem update = request.Items[i];
            item.Bind(1, RowIds.Item(sequence, i)).Bind(2, (long)update.Structure).Bind(3, update.Expected?.Period).Bind(4, update.Expected?.Version)
                .Bind(5, update.Key.Span).Bind(6, update.Value.Span).Execute();
        }
    }

    private static RequestStatus? ReadStatus(Connection connection, Guid requestId)
    {
        long sequence;
        using (Statement select = connection.Prepare("SELECT seq FROM request WHERE request_id = ?"))
        {
            if (!select.Bind(1, requestId).Step())
            {
                return null;
            }
            sequence = select.Long(0);
        }
        ulong? published = ReadHead(connection).PublishedEpoch;
        var items = new List<PublishedItem>();
        using Statement outcome = connection.Prepare(
            """
            SELECT o.epoch, o.refusal, o.refused_item, o.current_period, o.current_version, o.ordinal, l.structure, l.period, l.version, v.key
            FROM outcome AS o LEFT JOIN leaf AS l ON l.id = (o.epoch << 28 | o.ordinal) LEFT JOIN value AS v ON v.id = l.id
            WHERE o.id BETWEEN ? AND ? ORDER BY o.id
            """);
        outcome.Bind(1, RowIds.Item(sequence, 0)).Bind(2, RowIds.LastItem(sequence));
        ulong epoch = 0;
        while (outcome.Step())
        {
            epoch = outcome.ULong(0);
            if (published is null || epoch > published)
            {
                return new RequestStatus(RequestState.Pending, 0, [], null);
            }
            if (!outcome.IsNull(1))
            {
                var current = new ExpectedVersion(outcome.ULong(3), outcome.ULong(4));
                return new RequestStatus(RequestState.Refused, epoch, [], new Refusal((RefusalReason)outcome.Int(1), outcome.Int(2), current));
            }
            if (outcome.IsNull(6))
            {
                throw new StorageCorruptException($"The database {connection.Path} has an outcome without its leaf in epoch {epoch}: restore it.");
            }
            items.Add(new PublishedItem((Protocol.StructureId)outcome.Int(6), outcome.ULong(7), outcome.ULong(8), outcome.Int(5), outcome.Octets(9)));
        }
        if (items.Count > 0)
        {
            return new RequestStatus(RequestState.Published, epoch, items, null);
        }
        using Statement pending = connection.Prepare("SELECT 1 FROM pending WHERE id = ?");
        return pending.Bind(1, RowIds.Item(sequence, 0)).Step()
            ? new RequestStatus(RequestState.Pending, 0, [], null)
            : throw new StorageCorruptException($"The database {connection.Path} has a request that is neither pending nor decided: restore it.");
    }
}
