using System.Data.Common;
using System.Globalization;
using System.Security.Cryptography;
using Microsoft.Data.SqlClient;
using Optiks.Storage.Conformance;

namespace Optiks.Storage.SqlServer.Tests;

/// <summary>
/// Gives each test a database of its own. The environment variable <c>OPTIKS_TEST_SQLSERVER</c> must have the server's connection string,
/// for a login that may create databases. Without this variable the tests are skipped.
/// </summary>
public sealed class SqlServerFixture : IServerFixture
{
    private const string Variable = "OPTIKS_TEST_SQLSERVER";

    private static readonly string? s_server = Environment.GetEnvironmentVariable(Variable);
    // If two databases are created or dropped at the same time, Babelfish refuses one of the two statements.
    private static readonly SemaphoreSlim s_catalog = new(1);
    private static int s_databases;

    private readonly List<string> _logins = [];

    // Error 229 means that a permission on an object is missing, and error 230 that a permission on a column is missing.
    private static readonly int[] s_permissionDenied = [229, 230];

    public IStorageProvider Provider { get; } = new SqlServerStorageProvider();

    public ServerSql Sql { get; } = new()
    {
        NamingMigration = "0003_pending_names_its_request",
        NamingConstraint = "CK_Pending_Request",
        Undo = ["DROP TABLE optiks.Erasure", "DROP TABLE optiks.[Copy]", "DROP TABLE optiks.CopyValue", "DROP TABLE optiks.SwitchRequest"],
        RequestId = "RequestId",
        BodyHash = "BodyHash",
        AnotherRequestId = "CAST(0x01 AS binary(16))",
        AnotherBodyHash = "CAST(0x01 AS binary(32))",
        Forbidden =
        [
            ("optiks_update",
                "INSERT INTO optiks.Epoch (Epoch, Leaves, ValueBytes, RecordHash, Record) VALUES (7, 0, 0, CAST(0x AS binary(32)), 0x)"),
            ("optiks_update", "SELECT WrappedSecrets FROM optiks.Period"),
            ("optiks_update", "SELECT [Value] FROM optiks.[Value]"),
            ("optiks_update", "SELECT Opening FROM optiks.[Value]"),
            ("optiks_task", "UPDATE optiks.Acceptance SET LastSeq = 7"),
            ("optiks_task", "INSERT INTO optiks.Request (RequestId, Seq, BodyHash) VALUES (0x, 7, 0x)"),
            ("optiks_task", "INSERT INTO optiks.Pending (Seq, Item, Structure, [Key], [Value]) VALUES (1, 0, 1, 0x01, 0x)"),
            ("optiks_task", "UPDATE optiks.Epoch SET Record = 0x"),
            ("optiks_query", "DELETE FROM optiks.[Value]"),
            ("optiks_update", "DELETE FROM optiks.[Value]"),
            ("optiks_update", "INSERT INTO optiks.Erasure (DecidedIn, Number, Epoch, Ordinal, RequestId, Item) VALUES (2, 0, 1, 0, 0x, 0)"),
            ("optiks_task", "UPDATE optiks.Period SET Configuration = 0x"),
            ("optiks_task", "INSERT INTO optiks.SwitchRequest (Period) VALUES (1)"),
            ("optiks_update", "INSERT INTO optiks.SwitchRequest (Period) VALUES (1)"),
            ("optiks_query", "INSERT INTO optiks.SwitchRequest (Period) VALUES (1)"),
            ("optiks_update", "SELECT [Value] FROM optiks.CopyValue"),
            ("optiks_query", "DELETE FROM optiks.CopyValue"),
            ("optiks_query", "UPDATE optiks.Acceptance SET LastSeq = 7"),
        ],
    };

    public async Task<string> CreateAsync()
    {
        Assert.SkipWhen(string.IsNullOrEmpty(s_server), $"{Variable} is not set.");
        string name = string.Create(
            CultureInfo.InvariantCulture, $"optiks_test_{Environment.ProcessId}_{Interlocked.Increment(ref s_databases)}");
        await ChangeCatalogAsync($"CREATE DATABASE {name}");
        string connectionString = new SqlConnectionStringBuilder(s_server) { InitialCatalog = name, ConnectTimeout = 10 }.ConnectionString;
        if (!await IsBabelfishAsync(s_server!))
        {
            _ = await ExecuteAsync(s_server!, $"ALTER DATABASE {name} SET READ_COMMITTED_SNAPSHOT ON");
            _ = await ExecuteAsync(s_server!, $"ALTER DATABASE {name} SET ALLOW_SNAPSHOT_ISOLATION ON");
        }
        return connectionString;
    }

    public async Task DropAsync(string connectionString)
    {
        // The fixture has created no database, so nothing has to be dropped.
        if (connectionString.Length == 0)
        {
            return;
        }
        string name = new SqlConnectionStringBuilder(connectionString).InitialCatalog;
        SqlConnection.ClearAllPools();
        // A session ends some time after its client has closed it. Until then, the server cannot drop the user, and it can drop the
        // database only by ending the session itself.
        while (await ScalarAsync(
            s_server!, $"SELECT COUNT(session_id) FROM sys.dm_exec_sessions WHERE database_id = DB_ID(N'{name}')") is not 0)
        {
            await Task.Delay(20, TestContext.Current.CancellationToken);
        }
        // Logins belong to the server, not to the database, so this code drops them separately.
        foreach (string login in _logins)
        {
            _ = await ExecuteAsync(connectionString, $"DROP USER {login}");
            _ = await ExecuteAsync(connectionString, $"DROP LOGIN {login}");
        }
        if (!await IsBabelfishAsync(s_server!))
        {
            _ = await ExecuteAsync(s_server!, $"ALTER DATABASE {name} SET SINGLE_USER WITH ROLLBACK IMMEDIATE");
        }
        await ChangeCatalogAsync($"DROP DATABASE {name}");
    }

    public async Task ReplaceRequestIdAsync(string connectionString, Guid present, Guid replacement)
    {
        Assert.Equal(1, await ReplaceAsync("UPDATE optiks.Request SET RequestId = @replacement WHERE RequestId = @present"));
        _ = await ReplaceAsync("UPDATE optiks.Pending SET RequestId = @replacement WHERE RequestId = @present");

        Task<int> ReplaceAsync(string sql) =>
            ExecuteAsync(connectionString, sql, Engine.Parameters.RequestId("@replacement", replacement),
                Engine.Parameters.RequestId("@present", present));
    }

    public async Task DeletePendingAsync(string connectionString, long sequence, int item) => Assert.Equal(1, await ExecuteAsync(
        connectionString, "DELETE FROM optiks.Pending WHERE Seq = @seq AND Item = @item", Engine.Parameters.Bigint("@seq", sequence),
        Engine.Parameters.Int("@item", item)));

    public async Task AbandonWriteAsync(string connectionString, ulong epoch)
    {
        await using SqlConnection connection = await OpenAsync(connectionString);
        await using var transaction = (SqlTransaction)await connection.BeginTransactionAsync();
        await using SqlCommand command = connection.CreateCommand();
        command.Transaction = transaction;
        command.CommandText = "UPDATE optiks.Head SET Epoch = @epoch, PublishedEpoch = NULL";
        _ = command.Parameters.Add(Engine.Parameters.Bigint("@epoch", epoch));
        Assert.Equal(1, await command.ExecuteNonQueryAsync());
    }

    public DbConnection Connect(string connectionString, string? session = null) => Plain(connectionString, session);

    public async Task<string> CreateUserAsync(string connectionString, string role)
    {
        var owner = new SqlConnectionStringBuilder(connectionString);
        string name = $"{role}_{owner.InitialCatalog}";
        string password = "Aa1!" + RandomNumberGenerator.GetHexString(32);
        _ = await ExecuteAsync(connectionString, $"CREATE LOGIN {name} WITH PASSWORD = '{password}'");
        _logins.Add(name);
        _ = await ExecuteAsync(connectionString, $"CREATE USER {name} FOR LOGIN {name}");
        _ = await ExecuteAsync(connectionString, $"ALTER ROLE {role} ADD MEMBER {name}");
        return new SqlConnectionStringBuilder(connectionString)
        {
            IntegratedSecurity = false,
            UserID = name,
            Password = password,
        }.ConnectionString;
    }

    public bool IsDenied(DbException e) => (e is SqlException error && s_permissionDenied.Contains(error.Number))
        || e.Message.Contains("permission denied", StringComparison.OrdinalIgnoreCase);

    /// <summary>Runs T-SQL on a connection of its own, and returns the number of changed rows.</summary>
    public static async Task<int> ExecuteAsync(string connectionString, string sql, params SqlParameter[] parameters)
    {
        await using SqlConnection connection = await OpenAsync(connectionString);
        await using var command = new SqlCommand(sql, connection);
        command.Parameters.AddRange(parameters);
        return await command.ExecuteNonQueryAsync();
    }

    /// <summary>Runs a query on a connection of its own, and returns the first cell of the result.</summary>
    public static async Task<object?> ScalarAsync(string connectionString, string sql)
    {
        await using SqlConnection connection = await OpenAsync(connectionString);
        await using var command = new SqlCommand(sql, connection);
        return await command.ExecuteScalarAsync();
    }

    /// <summary>
    /// Opens a new connection. As the driver does, it sets the options whose defaults differ between the client's versions.
    /// </summary>
    public static async Task<SqlConnection> OpenAsync(string connectionString)
    {
        SqlConnection connection = Plain(connectionString, null);
        await connection.OpenAsync();
        return connection;
    }

    /// <summary>Returns whether the server is Babelfish, which lacks some of SQL Server's features that tests need.</summary>
    public static async Task<bool> IsBabelfishAsync(string connectionString) =>
        await ScalarAsync(connectionString, "SELECT SERVERPROPERTY(N'Babelfish')") is not (null or DBNull);

    private static SqlConnection Plain(string connectionString, string? session)
    {
        var builder = new SqlConnectionStringBuilder(
            SqlServerSettings.Parse(connectionString, "test").ConnectionString)
        { Pooling = false };
        builder.ApplicationName = session ?? builder.ApplicationName;
        return new SqlConnection(builder.ConnectionString);
    }

    private static async Task ChangeCatalogAsync(string sql)
    {
        await s_catalog.WaitAsync();
        try
        {
            _ = await ExecuteAsync(s_server!, sql);
        }
        finally
        {
            _ = s_catalog.Release();
        }
    }
}
