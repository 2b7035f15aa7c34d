using System.Data;
using System.Data.Common;
using Npgsql;
using Optiks.Storage.Driver;

namespace Optiks.Storage.PostgreSql.Engine;

/// <summary>One role's pool of connections. All statements of a read see the same point in time. Safe for concurrent use.</summary>
internal sealed class Database : ServerDatabase<NpgsqlConnection, Session>
{
    // This statement waits at most two seconds for each session to end.
    private static readonly Sql s_endExpiredHolder = new(
        """
        SELECT pg_terminate_backend(a.pid, 2000) FROM head AS h JOIN pg_stat_activity AS a ON a.application_name = h.session
        WHERE h.holder NOT IN ('', $1) AND h.lease_end <= clock_timestamp() AND h.session NOT IN ('', $2)
        AND a.usename = current_user AND a.datname = current_database()
        """);

    private static readonly Sql s_end = new(
        "SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity WHERE pid = $1 AND application_name = $2 AND usename = current_user AND pid <> pg_backend_pid()");

    private static readonly Sql s_noTimeouts = new("SELECT set_config('idle_in_transaction_session_timeout', '0', true), set_config('statement_timeout', '0', true)");

    private static readonly Sql s_lockTables = new("LOCK TABLE request, pending, outcome, leaf, value, erasure, epoch, period, head IN EXCLUSIVE MODE");

    // The number of times that the check for a pooler is tried, because another program may take the free session before the second
    // connection does.
    private const int PoolerTries = 3;

    private readonly NpgsqlDataSource _source;
    private readonly Listener _listener;

    private Database(PostgreSqlSettings settings)
    {
        Location = settings.Location;
        SessionName = settings.Session;
        _source = settings.CreateDataSource();
        _listener = new Listener(this);
    }

    /// <inheritdoc/>
    public override string Location { get; }

    /// <inheritdoc/>
    public override string SessionName { get; }

    /// <summary>The frontier of the pending rows that this store reads.</summary>
    public AcceptFrontier Frontier { get; } = new();

    /// <inheritdoc/>
    public override Statements Statements => PostgreSqlStatements.All;

    /// <summary>
    /// The interval of polls, which find epochs whose notification was lost with a connection or in a proxy that pools sessions.
    /// </summary>
    public override TimeSpan PollInterval { get; } = TimeSpan.FromMilliseconds(500);

    /// <inheritdoc/>
    protected override IsolationLevel? ReadIsolation => IsolationLevel.RepeatableRead;

    /// <inheritdoc/>
    protected override Sql LockHead => Statements.LockHead;

    /// <summary>Opens the database and checks the conditions without which a service must not work.</summary>
    public static async Task<Database> OpenAsync(PostgreSqlSettings settings, CancellationToken cancellationToken)
    {
        Database database = Connect(settings);
        try
        {
            // This check comes first, because once the database has worked for this store, its faults count as temporary failures.
            await database.TwiceIfLostAsync(() => database.ThrowIfPooledByTransactionAsync(cancellationToken), cancellationToken);
            await database.OpenAsync(CheckAsync, settings.FirstWork, cancellationToken);
            return database;
        }
        catch
        {
            await database.DisposeAsync();
            throw;
        }
    }

    /// <summary>Creates the pool without a check, for the migrator.</summary>
    public static Database Connect(PostgreSqlSettings settings) => new(settings);

    /// <summary>Throws when the database does not have the schema that a service needs.</summary>
    public Task CheckAsync(CancellationToken cancellationToken) => ReadAsync<object?>(
        async (session, cancel) =>
        {
            await CheckAsync(session, cancel);
            return null;
        },
        cancellationToken);

    /// <inheritdoc/>
    public override Task NextPublished() => _listener.Next();

    /// <summary>Opens a connection that the caller keeps, runs a first statement on it, and returns it.</summary>
    public Task<NpgsqlConnection> OpenConnectionAsync(string first, CancellationToken cancellationToken) => TwiceIfLostAsync(
        async () =>
        {
            NpgsqlConnection connection = await ConnectAsync(cancellationToken);
            try
            {
                await using NpgsqlCommand command = connection.Command(first);
                _ = await command.ExecuteNonQueryAsync(cancellationToken);
                return connection;
            }
            catch
            {
                await connection.DisposeAsync();
                throw;
            }
        },
        cancellationToken);

    /// <inheritdoc/>
    public override Task EndExpiredHolderAsync(string holder, CancellationToken cancellationToken) =>
        ReadAsync((session, cancel) => session.ChangeAsync(s_endExpiredHolder, cancel, Parameter.Create("holder", holder), Parameter.Create("session", SessionName)), cancellationToken);

    /// <inheritdoc/>
    public override bool IsDuplicate(StorageCorruptException e) => e.InnerException is PostgresException { SqlState: PostgresErrorCodes.UniqueViolation };

    /// <inheritdoc/>
    public override Task<ITransaction> BeginConsistentReadAsync(CancellationToken cancellationToken) =>
        BeginAsync(IsolationLevel.RepeatableRead, session => BeginAsync(session, Statements.Head, cancellationToken), cancellationToken);

    /// <inheritdoc/>
    public override Task<ITransaction> BeginImportAsync(CancellationToken cancellationToken) =>
        BeginAsync(IsolationLevel.ReadCommitted, session => BeginAsync(session, s_lockTables, cancellationToken), cancellationToken);

    public override async ValueTask DisposeAsync()
    {
        await _listener.DisposeAsync();
        await _source.DisposeAsync();
    }

    /// <inheritdoc/>
    protected override Task<NpgsqlConnection> ConnectAsync(CancellationToken cancellationToken) => _source.OpenConnectionAsync(cancellationToken).AsTask();

    /// <inheritdoc/>
    protected override Session Session(NpgsqlConnection connection, DbTransaction? transaction) => new(this, connection);

    /// <inheritdoc/>
    protected override int Number(NpgsqlConnection connection) => connection.ProcessID;

    /// <inheritdoc/>
    protected override Task EndAsync(int session) => ReadAsync(
        (other, cancel) => other.ChangeAsync(s_end, cancel, Parameter.Create("id", session), Parameter.Create("session", SessionName)), CancellationToken.None);

    /// <remarks>
    /// An existing session must be dropped because it finds the schema by the rights that it had earlier. When a membership is granted
    /// again, the session does not notice.
    /// </remarks>
    /// <inheritdoc/>
    protected override void DropSessions() => _source.Clear();

    /// <inheritdoc/>
    protected override void ThrowIfUnconfirmed(Session session)
    {
        if (session.IsUnconfirmed)
        {
            throw new StorageUnavailableException($"The database {Location} has committed, but no standby confirmed the commit in time: after a failover it may be lost.");
        }
    }

    /// <inheritdoc/>
    protected override bool IsConnectionLost(Exception e) => e is NpgsqlException error && PostgreSqlErrors.IsConnectionLost(error);

    /// <inheritdoc/>
    protected override Exception? Translate(Exception e, CancellationToken cancellationToken) => e is NpgsqlException error ? PostgreSqlErrors.Translate(error, Location) : null;

    // Throws when a pooler between this program and the server gives each transaction another session: statements could then run in
    // sessions whose settings lose commits. A pooler reports made-up session numbers, and such a pooler gives this connection's session,
    // while it is idle, to the next client.
    private async Task<object?> ThrowIfPooledByTransactionAsync(CancellationToken cancellationToken)
    {
        await using NpgsqlConnection first = await ConnectAsync(cancellationToken);
        if (await BackendAsync(first, cancellationToken) == first.ProcessID)
        {
            return null;
        }
        for (int i = 0; i < PoolerTries; i++)
        {
            int backend = await BackendAsync(first, cancellationToken);
            await using NpgsqlConnection second = await ConnectAsync(cancellationToken);
            if (await BackendAsync(second, cancellationToken) == backend)
            {
                throw PostgreSqlErrors.PooledByTransaction(Location);
            }
        }
        return null;
    }

    private static async Task<int> BackendAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        await using NpgsqlCommand command = connection.Command("SELECT pg_backend_pid()");
        return (int)(await command.ExecuteScalarAsync(cancellationToken))!;
    }

    private static async Task CheckAsync(Session session, CancellationToken cancellationToken) =>
        PostgreSqlSchema.Schema.ThrowIfOther(await PostgreSqlSchema.ReadVersionAsync(session, cancellationToken), session.Database.Location);

    // Turns off the session's time limits, because there may be long pauses between two calls. Then runs a first query, at which PostgreSQL
    // takes the snapshot.
    private static async Task BeginAsync(Session session, Sql first, CancellationToken cancellationToken)
    {
        _ = await session.ChangeAsync(s_noTimeouts, cancellationToken);
        _ = await session.ChangeAsync(first, cancellationToken);
    }
}
