using System.Data;
using System.Data.Common;
using Npgsql;

namespace Optiks.Storage.PostgreSql.Engine;

/// <summary>Holds one role's pool of connections. All statements of one call of ReadAsync see the same point in time. Safe for concurrent
/// use.</summary>
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

    private static readonly Sql s_noTimeouts = new(
        "SELECT set_config('idle_in_transaction_session_timeout', '0', true), set_config('statement_timeout', '0', true)");

    private static readonly Sql s_lockTables = new(
        "LOCK TABLE request, pending, outcome, leaf, value, erasure, epoch, period, head IN EXCLUSIVE MODE");

    // The number of times that this class tries the check for a pooler. One try is not enough, because another program may take the free
    // session before the second connection gets it.
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

    /// <summary>The frontier up to which this store has seen all pending rows.</summary>
    public AcceptFrontier Frontier { get; } = new();

    /// <inheritdoc/>
    public override Statements Statements => PostgreSqlStatements.All;

    /// <summary>
    /// The interval at which waiting stores poll. Polls find epochs whose notification was lost with a connection or in a proxy that pools
    /// sessions.
    /// </summary>
    public override TimeSpan PollInterval { get; } = TimeSpan.FromMilliseconds(500);

    /// <inheritdoc/>
    protected override IsolationLevel? ReadIsolation => IsolationLevel.RepeatableRead;

    /// <inheritdoc/>
    protected override Sql LockHead => Statements.LockHead;

    /// <summary>Opens the database and checks its schema and settings, so that a service does not work with an unsuitable
    /// database.</summary>
    public static async Task<Database> OpenAsync(PostgreSqlSettings settings, CancellationToken cancellationToken)
    {
        Database database = Connect(settings);
        try
        {
            // This check comes first: once the other checks have passed, this class treats every error of the database as temporary.
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

    /// <summary>Creates the pool without checking the database, because a migrator works with older schemas too.</summary>
    public static Database Connect(PostgreSqlSettings settings) => new(settings);

    /// <summary>Throws if the database does not have the schema that this build needs.</summary>
    public Task CheckAsync(CancellationToken cancellationToken) => ReadAsync<object?>(
        async (session, cancel) =>
        {
            await CheckAsync(session, cancel);
            return null;
        },
        cancellationToken);

    /// <inheritdoc/>
    public override Task NextPublished() => _listener.Next();

    /// <summary>Opens a connection, runs a first statement on it, and returns the connection, which then belongs to the caller.</summary>
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
        ReadAsync(
            (session, cancel) => session.ChangeAsync(s_endExpiredHolder, cancel, Parameter.Create("holder", holder),
                Parameter.Create("session", SessionName)), cancellationToken);

    /// <inheritdoc/>
    public override bool IsDuplicate(StorageCorruptException e) =>
        e.InnerException is PostgresException { SqlState: PostgresErrorCodes.UniqueViolation };

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
    protected override Task<NpgsqlConnection> ConnectAsync(CancellationToken cancellationToken) =>
        _source.OpenConnectionAsync(cancellationToken).AsTask();

    /// <inheritdoc/>
    protected override Session Session(NpgsqlConnection connection, DbTransaction? transaction) => new(this, connection);

    /// <inheritdoc/>
    protected override int Number(NpgsqlConnection connection) => connection.ProcessID;

    /// <inheritdoc/>
    protected override Task EndAsync(int session) => ReadAsync(
        (other, cancel) => other.ChangeAsync(s_end, cancel, Parameter.Create("id", session), Parameter.Create("session", SessionName)),
        CancellationToken.None);

    /// <remarks>
    /// Existing sessions must be closed because each of them remembers whether it had the right to use the schema. A session does not
    /// notice when an operator grants the membership in a role again.
    /// </remarks>
    /// <inheritdoc/>
    protected override void DropSessions() => _source.Clear();

    /// <inheritdoc/>
    protected override void ThrowIfUnconfirmed(Session session)
    {
        if (session.IsUnconfirmed)
        {
            throw new StorageUnavailableException(
                $"The database {Location} has committed, but no standby confirmed the commit in time: after a failover it may be lost.");
        }
    }

    /// <inheritdoc/>
    protected override bool IsConnectionLost(Exception e) => e is NpgsqlException error && PostgreSqlErrors.IsConnectionLost(error);

    /// <inheritdoc/>
    protected override Exception? Translate(Exception e, CancellationToken cancellationToken) =>
        e is NpgsqlException error ? PostgreSqlErrors.Translate(error, Location) : null;

    // Throws if a pooler between this program and the server gives each transaction another session, because statements could then run in
    // sessions whose settings lose commits. A pooler reports a made-up session number at connection, so a true number means that there is
    // no pooler. Otherwise the method opens a second connection: a pooler that gives each transaction another session gives the idle
    // session of the first connection to the second one.
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
        PostgreSqlSchema.Schema.ThrowIfOther(
            await PostgreSqlSchema.ReadVersionAsync(session, cancellationToken), session.Database.Location);

    // Turns off the session's time limits, because there may be long pauses between two calls. Then runs a first query, because PostgreSQL
    // takes a transaction's snapshot at its first query.
    private static async Task BeginAsync(Session session, Sql first, CancellationToken cancellationToken)
    {
        _ = await session.ChangeAsync(s_noTimeouts, cancellationToken);
        _ = await session.ChangeAsync(first, cancellationToken);
    }
}
