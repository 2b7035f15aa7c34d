using System.Data;
using System.Data.Common;
using Microsoft.Data.SqlClient;
using Optiks.Storage.Driver;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>Database is one role's pool of connections. Each statement that only reads sees one moment of the database (READ_COMMITTED_SNAPSHOT) and waits for nobody. Safe for concurrent use.</summary>
internal sealed class Database : ServerDatabase<SqlConnection, Connection>, IDatabase
{
    private static readonly Task s_never = new TaskCompletionSource().Task;

    private static readonly Statement s_lockHead = new(SqlServerStatements.LockHead);

    private readonly SqlServerSettings _settings;
    private readonly Sessions _sessions;
    private volatile bool _isBabelfish;

    private Database(SqlServerSettings settings, Action<string> warn)
    {
        _settings = settings;
        _sessions = new Sessions(warn);
    }

    /// <inheritdoc/>
    public override string Location => _settings.Location;

    /// <inheritdoc/>
    public override string SessionName => _settings.Session;

    /// <inheritdoc/>
    public override Statements Statements => SqlServerStatements.All;

    /// <summary>PollInterval: the engine's notifications need a broker, rights and a queue for each reader. A poll is one row from memory in one round trip.</summary>
    public override TimeSpan PollInterval { get; } = TimeSpan.FromMilliseconds(50);

    /// <inheritdoc/>
    protected override IsolationLevel? ReadIsolation => null;

    /// <inheritdoc/>
    protected override Sql LockHead => s_lockHead;

    /// <summary>Opens the database and checks what a service must not work without. <paramref name="warn"/> is told what the operator should know.</summary>
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

    /// <summary>Makes the pool without a check: for the migrator.</summary>
    public static Database Connect(SqlServerSettings settings) => new(settings, _ => { });

    /// <summary>Throws where the database is not one that a service may work with.</summary>
    public Task CheckAsync(CancellationToken cancellationToken) => ReadAsync<object?>(
        async (connection, cancel) =>
        {
            await CheckAsync(connection, cancel);
            return null;
        },
        cancellationToken);

    /// <summary>
    /// Sends a transaction whole, in one batch: who is paused meanwhile leaves none open. Of a standby that was paused while it took the lease no successor could find the session, as the head
    /// names those of the lease's holder.
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
        // The server takes it at the first statement that reads.
        BeginAsync(IsolationLevel.Snapshot, connection => connection.ReadHeadAsync(cancellationToken), cancellationToken);

    /// <inheritdoc/>
    public override Task<ITransaction> BeginImportAsync(CancellationToken cancellationToken) => BeginAsync(
        IsolationLevel.ReadCommitted,
        async connection =>
        {
            // Whoever accepts needs the row that numbers requests, and whoever writes epochs the head's.
            _ = await RequestNumbers.DrawAsync(connection, 0, cancellationToken);
            await connection.ExecuteAsync(s_lockHead, cancellationToken);
        },
        cancellationToken);

    /// <summary>NextPublished never completes: see <see cref="PollInterval"/>.</summary>
    public override Task NextPublished() => s_never;

    public override ValueTask DisposeAsync()
    {
        // Connections in use are closed when they are given back.
        using var any = new SqlConnection(_settings.ConnectionString);
        SqlConnection.ClearPool(any);
        return ValueTask.CompletedTask;
    }

    /// <inheritdoc/>
    protected override Task<SqlConnection> ConnectAsync(CancellationToken cancellationToken) => ConnectAsync(_settings.ConnectionString, cancellationToken);

    /// <summary>Opens a connection that is not pooled: a session keeps the isolation level of its last transaction, whoever uses it next.</summary>
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

    /// <summary>Abandon the connections of now: none is used again, and closing this one ends what it may have left open.</summary>
    protected override void Abandon(SqlConnection connection) => SqlConnection.ClearPool(connection);

    /// <inheritdoc/>
    protected override bool IsConnectionLost(Exception e) => SqlServerErrors.IsConnectionLost(e);

    /// <inheritdoc/>
    protected override Exception? Translate(Exception e, CancellationToken cancellationToken) => e switch
    {
        // The client reports a statement that was called off as the server's error.
        SqlException when cancellationToken.IsCancellationRequested && !IsConnectionLost(e) => new OperationCanceledException(e.Message, e, cancellationToken),
        _ => SqlServerErrors.IsOfClient(e) ? SqlServerErrors.Translate(e, Location, IsOpen) : null,
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
