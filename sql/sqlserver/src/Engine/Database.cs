using System.Data;
using System.Data.Common;
using Microsoft.Data.SqlClient;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>
/// Holds one role's pool of connections. Because of READ_COMMITTED_SNAPSHOT, each statement that only reads sees the database at one point
/// in time and waits for no writer. Safe for concurrent use.
/// </summary>
internal sealed class Database : ServerDatabase<SqlConnection, Connection>, IDatabase
{
    private static readonly Task s_never = new TaskCompletionSource().Task;

    private static readonly Statement s_lockHead = new(SqlServerStatements.LockHead);

    private readonly SqlServerSettings _settings;
    private readonly HolderSessions _sessions;
    private volatile bool _isBabelfish;

    private Database(SqlServerSettings settings, Action<string> warn)
    {
        _settings = settings;
        _sessions = new HolderSessions(warn);
    }

    /// <inheritdoc/>
    public override string Location => _settings.Location;

    /// <inheritdoc/>
    public override string SessionName => _settings.Session;

    /// <inheritdoc/>
    public override Statements Statements => SqlServerStatements.All;

    /// <summary>
    /// The interval at which waiting stores poll. They poll because the engine's notifications would need a broker, rights and a queue for
    /// each reader. A poll is cheap: it reads one row from memory in one round trip.
    /// </summary>
    public override TimeSpan PollInterval { get; } = TimeSpan.FromMilliseconds(50);

    /// <inheritdoc/>
    protected override IsolationLevel? ReadIsolation => null;

    /// <inheritdoc/>
    protected override Sql LockHead => s_lockHead;

    /// <summary>
    /// Opens the database and checks its schema and settings, so that a service does not work with an unsuitable database. Passes notices
    /// for the operator to the action <paramref name="warn"/>.
    /// </summary>
    public static async Task<Database> OpenAsync(SqlServerSettings settings, Action<string> warn, CancellationToken cancellationToken)
    {
        var database = new Database(settings, warn);
        try
        {
            await database.OpenAsync(database.CheckAsync, settings.Limits.FirstWork, cancellationToken);
            return database;
        }
        catch
        {
            await database.DisposeAsync();
            throw;
        }
    }

    /// <summary>Creates the pool without checking the database, because a migrator works with older schemas too.</summary>
    public static Database Connect(SqlServerSettings settings) => new(settings, _ => { });

    /// <summary>Throws if the database's schema or settings do not allow a service to work with it.</summary>
    public Task CheckAsync(CancellationToken cancellationToken) => ReadAsync<object?>(
        async (connection, cancel) =>
        {
            await CheckAsync(connection, cancel);
            return null;
        },
        cancellationToken);

    /// <summary>
    /// Sends the whole transaction in one batch, so that a paused client leaves no transaction open. This matters for a standby that is
    /// paused while it takes the lease: the head row names only the sessions of the current holder, so no other process could find and end
    /// the standby's session.
    /// </summary>
    Task<T> IDatabase.WriteOneAsync<T>(Func<ISession, CancellationToken, Task<T>> work, CancellationToken cancellationToken) =>
        RepeatAsync<T>(work, cancellationToken);

    /// <inheritdoc/>
    public override Task EndExpiredHolderAsync(string holder, CancellationToken cancellationToken) => ReadAsync<object?>(
        async (connection, cancel) =>
        {
            await _sessions.EndOfExpiredHolderAsync(connection, holder, SessionName, cancel);
            return null;
        },
        cancellationToken);

    /// <inheritdoc/>
    public override bool IsDuplicate(StorageCorruptException e) => SqlServerErrors.IsDuplicate(e.InnerException);

    /// <inheritdoc/>
    public override Task<ITransaction> BeginConsistentReadAsync(CancellationToken cancellationToken) =>
        // The head row is read at once, because the server takes the snapshot at the first statement that reads.
        BeginAsync(IsolationLevel.Snapshot, connection => connection.ReadHeadAsync(cancellationToken), cancellationToken);

    /// <inheritdoc/>
    public override Task<ITransaction> BeginImportAsync(CancellationToken cancellationToken) => BeginAsync(
        IsolationLevel.ReadCommitted,
        async connection =>
        {
            // An import locks two rows: the row that numbers requests, which every accept needs, and the head row, which every epoch needs.
            // So no other program can write.
            _ = await RequestNumbers.DrawAsync(connection, 0, cancellationToken);
            await connection.ExecuteAsync(s_lockHead, cancellationToken);
        },
        cancellationToken);

    /// <summary>Returns a task that never completes, because this driver has no notifications and its stores poll
    /// (<see cref="PollInterval"/>).</summary>
    public override Task NextPublished() => s_never;

    public override ValueTask DisposeAsync()
    {
        // Clearing the pool closes unused connections now, and other connections when they return to the pool.
        using var any = new SqlConnection(_settings.ConnectionString);
        SqlConnection.ClearPool(any);
        return ValueTask.CompletedTask;
    }

    /// <inheritdoc/>
    protected override Task<SqlConnection> ConnectAsync(CancellationToken cancellationToken) =>
        ConnectAsync(_settings.ConnectionString, cancellationToken);

    /// <summary>
    /// Opens a connection outside the pool, because a pooled session keeps the isolation level of its last transaction, also for the next
    /// user of the connection.
    /// </summary>
    protected override Task<SqlConnection> ConnectAloneAsync(CancellationToken cancellationToken) =>
        ConnectAsync(_settings.UnpooledConnectionString, cancellationToken);

    /// <inheritdoc/>
    protected override Connection Session(SqlConnection connection, DbTransaction? transaction) =>
        new(this, connection, (SqlTransaction?)transaction, _settings.Limits, _isBabelfish);

    /// <inheritdoc/>
    protected override int Number(SqlConnection connection) => connection.ServerProcessId;

    /// <inheritdoc/>
    protected override Task EndAsync(int session) => ReadAsync<object?>(
        async (connection, cancel) =>
        {
            await _sessions.EndAsync(connection, session, SessionName, cancel);
            return null;
        },
        CancellationToken.None);

    /// <summary>
    /// Discards all current connections of the pool, so that no store uses them again. Closing this connection ends a transaction that it
    /// may have left open.
    /// </summary>
    protected override void Abandon(SqlConnection connection) => SqlConnection.ClearPool(connection);

    /// <inheritdoc/>
    protected override bool IsConnectionLost(Exception e) => SqlServerErrors.IsConnectionLost(e);

    /// <inheritdoc/>
    protected override Exception? Translate(Exception e, CancellationToken cancellationToken) => e switch
    {
        // The client reports a cancelled statement as an error of the server.
        SqlException when cancellationToken.IsCancellationRequested && !IsConnectionLost(e) =>
            new OperationCanceledException(e.Message, e, cancellationToken),
        _ => SqlServerErrors.IsClientError(e) ? SqlServerErrors.Translate(e, Location, IsOpen) : null,
    };

    private async Task CheckAsync(Connection connection, CancellationToken cancellationToken) =>
        _isBabelfish = await SqlServerSchema.CheckAsync(connection, Location, cancellationToken);

    private static async Task<SqlConnection> ConnectAsync(string connectionString, CancellationToken cancellationToken)
    {
        var connection = new SqlConnection(connectionString);
        try
        {
            await connection.OpenAsync(cancellationToken);
            return connection;
        }
        catch
        {
            await connection.DisposeAsync();
            throw;
        }
    }
}
