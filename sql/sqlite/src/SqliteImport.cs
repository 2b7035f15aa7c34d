using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>SqliteImport is one write transaction of a connection of its own.</summary>
internal sealed class SqliteImport : IStorageImport
{
    private static readonly string[] s_tables = ["period", "epoch", "leaf", "value", "request", "pending", "outcome"];

    private readonly Connection _connection;

    public SqliteImport(SqliteSettings settings)
    {
        _connection = Connection.Open(settings, readOnly: false);
        try
        {
            SqliteSchema.ThrowIfUnusable(_connection);
            _connection.Execute("BEGIN IMMEDIATE");
            long rows = s_tables.Sum(table => _connection.ReadLong($"SELECT EXISTS (SELECT 1 FROM {table})"));
            if (rows > 0 || _connection.ReadLong("SELECT count(*) FROM head WHERE epoch IS NOT NULL OR holder <> ''") > 0)
            {
                throw new StorageMisconfiguredException($"The database {_connection.Path} is not empty: import into a new one, made by 'optiks-db migrate'.");
            }
        }
        catch
        {
            _connection.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public Task AddPeriodsAsync(IReadOnlyList<PeriodRow> periods, CancellationToken cancellationToken) => RunAsync(
        () =>
        {
            using Statement insert = _connection.Prepare("INSERT INTO period (period, first_epoch, wrapped_secrets, configuration) VALUES (?, ?, ?, ?)");
            foreach (PeriodRow period in periods)
            {
                insert.Bind(1, period.Period).Bind(2, period.FirstEpoch).Bind(3, period.WrappedSecrets.Span).Bind(4, period.Configuration.Span).Execute();
            }
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task AddEpochsAsync(IReadOnlyList<StoredEpoch> epochs, CancellationToken cancellationToken) => RunAsync(
        () =>
        {
            using Statement insert = _connection.Prepare("INSERT INTO epoch (epoch, leaves, value_bytes, record_hash, record, checkpoint) VALUES (?, ?, ?, ?, ?, ?)");
            foreach (StoredEpoch epoch in epochs)
            {
                insert.Bind(1, epoch.Row.Epoch).Bind(2, epoch.Leaves).Bind(3, epoch.ValueBytes).Bind(4, epoch.Row.RecordHash.Span).Bind(5, epoch.Row.Record.Span);
                _ = epoch.Row.Checkpoint.IsEmpty ? insert.BindNull(6) : insert.Bind(6, epoch.Row.Checkpoint.Span);
                insert.Execute();
            }
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task AddLeavesAsync(IReadOnlyList<StoredLeaf> leaves, CancellationToken cancellationToken) => RunAsync(
        () =>
        {
            using Statement insert = _connection.Prepare(
                "INSERT INTO leaf (id, structure, period, version, item, label, commitment, tag, request_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
            using Statement insertValue = _connection.Prepare("INSERT INTO value (id, opening, key, value) VALUES (?, ?, ?, ?)");
            foreach (StoredLeaf leaf in leaves)
            {
                long id = RowIds.Leaf(leaf.Epoch, leaf.Ordinal);
                insert.Bind(1, id).Bind(2, (long)leaf.Structure).Bind(3, leaf.Period).Bind(4, leaf.Version).Bind(5, leaf.Origin.Item)
                    .Bind(6, leaf.Label.Span).Bind(7, leaf.Commitment.Span).Bind(8, leaf.Tag.Span).Bind(9, leaf.Origin.RequestId).Execute();
                if (leaf.Value is { } value)
                {
                    insertValue.Bind(1, id).Bind(2, value.Opening.Span).Bind(3, value.Key.Span).Bind(4, value.Value.Span).Execute();
                }
            }
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task AddRequestsAsync(IReadOnlyList<StoredRequest> requests, CancellationToken cancellationToken) => RunAsync(
        () =>
        {
            using Statement insert = _connection.Prepare("INSERT INTO request (seq, request_id, body_hash) VALUES (?, ?, ?)");
            foreach (StoredRequest request in requests)
            {
                insert.Bind(1, request.Sequence).Bind(2, request.RequestId).Bind(3, request.BodyHash.Span).Execute();
            }
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task AddPendingAsync(IReadOnlyList<StoredPending> pending, CancellationToken cancellationToken) => RunAsync(
        () =>
        {
            using Statement insert = _connection.Prepare("INSERT INTO pending (id, structure, expected_period, expected_version, key, value) VALUES (?, ?, ?, ?, ?, ?)");
            foreach (StoredPending row in pending)
            {
                AcceptItem update = row.Update;
                insert.Bind(1, RowIds.Item(row.Sequence, row.Item)).Bind(2, (long)update.Structure).Bind(3, update.Expected?.Period).Bind(4, update.Expected?.Version)
                    .Bind(5, update.Key.Span).Bind(6, update.Value.Span).Execute();
            }
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task AddOutcomesAsync(IReadOnlyList<StoredOutcome> outcomes, CancellationToken cancellationToken) => RunAsync(
        () =>
        {
            using Statement insert = _connection.Prepare(
                "INSERT INTO outcome (id, epoch, ordinal, refusal, refused_item, current_period, current_version) VALUES (?, ?, ?, ?, ?, ?, ?)");
            foreach (StoredOutcome outcome in outcomes)
            {
                insert.Bind(1, RowIds.Item(outcome.Sequence, outcome.Item)).Bind(2, outcome.Epoch).Bind(3, (ulong?)outcome.Ordinal)
                    .Bind(4, (ulong?)outcome.Refusal?.Reason).Bind(5, (ulong?)outcome.Refusal?.Item)
                    .Bind(6, outcome.Refusal?.Current.Period).Bind(7, outcome.Refusal?.Current.Version).Execute();
            }
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task CommitAsync(Head head, CancellationToken cancellationToken) => RunAsync(
        () =>
        {
            using (Statement update = _connection.Prepare("UPDATE head SET epoch = ?, record_hash = ?, published_epoch = ?, fence = ?, holder = '', lease_end = 0"))
            {
                update.Bind(1, head.Epoch).Bind(2, head.RecordHash.Span).Bind(3, head.PublishedEpoch).Bind(4, head.Fence).Execute();
            }
            _connection.ThrowIfMoved();
            _connection.Execute("COMMIT");
        },
        cancellationToken);

    public ValueTask DisposeAsync()
    {
        if (_connection.InTransaction)
        {
            _connection.Execute("ROLLBACK");
        }
        _connection.Dispose();
        return ValueTask.CompletedTask;
    }

    private static Task RunAsync(Action work, CancellationToken cancellationToken) => Task.Run(work, cancellationToken);
}
