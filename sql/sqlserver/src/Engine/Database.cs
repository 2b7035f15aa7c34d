using System.Data;
using System.Data.Common;
using Microsoft.Data.SqlClient;
using Optiks.Storage.Driver;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>
/// One role's pool of connections. Each statement that only reads sees one point in time of the database (READ_COMMITTED_SNAPSHOT) and
/// waits for no writer. Safe for concurrent use.
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
    /// The interval of polls. Stores poll because the engine's notifications need a broker, rights and a queue for each reader. A poll
    /// reads one row from memory in one round trip.
    /// </summary>
    public override TimeSpan PollInterval { get; } = TimeSpan.FromMilliseconds(50);

    /// <inheritdoc/>
    protected override IsolationLevel? ReadIsolation => null;

    /// <inheritdoc/>
    protected override Sql LockHead => s_lockHead;

    /// <summary>
    /// Opens the database and checks the conditions without which a service must not work. <paramref name="warn"/> receives notices for the
    /// operator.
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

    /// <summary>Creates the pool without a check, for the migrator.</summary>
    public static Database Connect(SqlServerSettings settings) => new(settings, _ => { });

    /// <summary>Throws when a service may not work with the database.</summary>
    public Task CheckAsync(CancellationToken cancellationToken) => ReadAsync<object?>(
        async (connection, cancel) =>
        {
            await CheckAsync(connection, cancel);
            return null;
        },
        cancellationToken);

    /// <summary>
    /// Sends the whole transaction in one batch, so that a client that is paused leaves no transaction open. This matters for a standby
    /// that takes the lease: the head row names only the sessions of the present holder, so a successor could not find and end the paused
    /// standby's session.
    /// </summary>
    Task<T> IDatabase.WriteOneAsync<T>(Func<ISession, CancellationToken, Task<T>> work, CancellationToken cancellationToken) => RepeatAsync<T>(work, cancellationToken);

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
        // Reads the head row at once, because the server takes the snapshot at the first statement that reads.
        BeginAsync(IsolationLevel.Snapshot, connection => connection.ReadHeadAsync(cancellationToken), cancellationToken);

    /// <inheritdoc/>
    public override Task<ITransaction> BeginImportAsync(CancellationToken cancellationToken) => BeginAsync(
        IsolationLevel.ReadCommitted,
        async connection =>
        {
            // Locks the row that numbers requests, which every accept needs, and the head row, which every epoch needs. So no other program
            // writes.
            _ = await RequestNumbers.DrawAsync(connection, 0, cancellationToken);
            await connection.ExecuteAsync(s_lockHead, cancellationToken);
        },
        cancellationToken);

    /// <summary>Returns a task that never completes: see <see cref="PollInterval"/>.</summary>
    public override Task NextPublished() => s_never;

    public override ValueTask DisposeAsync()
    {
        // Clears the pool: unused connections are closed now, and connections in use when they return to the pool.
        using var any = new SqlConnection(_settings.ConnectionString);
        SqlConnection.ClearPool(any);
        return ValueTask.CompletedTask;
    }

    /// <inheritdoc/>
    protected override Task<SqlConnection> ConnectAsync(CancellationToken cancellationToken) => ConnectAsync(_settings.ConnectionString, cancellationToken);

    /// <summary>
    /// Opens a connection outside the pool, because a pooled session would pass the isolation level of its last transaction on to its next
    /// user.
    /// </summary>
    protected override Task<SqlConnection> ConnectAloneAsync(CancellationToken cancellationToken) => ConnectAsync(_settings.UnpooledConnectionString, cancellationToken);

    /// <inheritdoc/>
    protected override Connection Session(SqlConnection connection, DbTransaction? transaction) => new(this, connection, (SqlTransaction?)transaction, _settings.Limits, _isBabelfish);

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
    /// Discards all present connections of the pool, so that no store uses them again. When this connection closes, a transaction that it
    /// left open ends.
    /// </summary>
    protected override void Abandon(SqlConnection connection) => SqlConnection.ClearPool(connection);

    /// <inheritdoc/>
    protected override bool IsConnectionLost(Exception e) => SqlServerErrors.IsConnectionLost(e);

    /// <inheritdoc/>
    protected override Exception? Translate(Exception e, CancellationToken cancellationToken) => e switch
    {
        // The client reports a cancelled statement as an error of the server.
        SqlException when cancellationToken.IsCancellationRequested && !IsConnectionLost(e) => new OperationCanceledException(e.Message, e, cancellationToken),
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
