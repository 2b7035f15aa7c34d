using System.Globalization;
using Microsoft.Data.SqlClient;
using Optiks.Storage.Conformance;

namespace Optiks.Storage.SqlServer.Tests;

/// <summary>
/// SqlServerFixture gives each test a database of its own on the server that <c>OPTIKS_TEST_SQLSERVER</c> holds a connection string of, for a login that may create databases. Without it the test
/// is skipped.
/// </summary>
public sealed class SqlServerFixture : IStorageFixture
{
    private const string Variable = "OPTIKS_TEST_SQLSERVER";

    private static readonly string? s_server = Environment.GetEnvironmentVariable(Variable);
    // Babelfish refuses one of two databases that are made or dropped at once.
    private static readonly SemaphoreSlim s_catalog = new(1);
    private static int s_databases;

    public IStorageProvider Provider { get; } = new SqlServerStorageProvider();

    public async Task<string> CreateAsync()
    {
        Assert.SkipWhen(string.IsNullOrEmpty(s_server), $"{Variable} is not set.");
        string name = string.Create(CultureInfo.InvariantCulture, $"optiks_test_{Environment.ProcessId}_{Interlocked.Increment(ref s_databases)}");
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
        // Nothing was made.
        if (connectionString.Length == 0)
        {
            return;
        }
        string name = new SqlConnectionStringBuilder(connectionString).InitialCatalog;
        SqlConnection.ClearAllPools();
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
            ExecuteAsync(connectionString, sql, Engine.Parameters.RequestId("@replacement", replacement), Engine.Parameters.RequestId("@present", present));
    }

    public async Task DeletePendingAsync(string connectionString, long sequence, int item) => Assert.Equal(1, await ExecuteAsync(
        connectionString, "DELETE FROM optiks.Pending WHERE Seq = @seq AND Item = @item", Engine.Parameters.Bigint("@seq", sequence), Engine.Parameters.Int("@item", item)));

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

    /// <summary>ExecuteAsync runs T-SQL on a connection of its own and returns how many rows it touched.</summary>
    public static async Task<int> ExecuteAsync(string connectionString, string sql, params SqlParameter[] parameters)
    {
        await using SqlConnection connection = await OpenAsync(connectionString);
        await using var command = new SqlCommand(sql, connection);
        command.Parameters.AddRange(parameters);
        return await command.ExecuteNonQueryAsync();
    }

    /// <summary>ScalarAsync runs a query on a connection of its own and returns its first cell.</summary>
    public static async Task<object?> ScalarAsync(string connectionString, string sql)
    {
        await using SqlConnection connection = await OpenAsync(connectionString);
        await using var command = new SqlCommand(sql, connection);
        return await command.ExecuteScalarAsync();
    }

    /// <summary>OpenAsync opens a connection of its own, as plain as the driver's where the client's versions differ in what is left unsaid.</summary>
    public static async Task<SqlConnection> OpenAsync(string connectionString)
    {
        var connection = new SqlConnection(new SqlConnectionStringBuilder(SqlServerSettings.Parse(connectionString, "test").ConnectionString) { Pooling = false }.ConnectionString);
        await connection.OpenAsync();
        return connection;
    }

    /// <summary>IsBabelfishAsync says whether the server only speaks the protocol; then some things are not there to be tested.</summary>
    public static async Task<bool> IsBabelfishAsync(string connectionString) => await ScalarAsync(connectionString, "SELECT SERVERPROPERTY(N'Babelfish')") is not (null or DBNull);

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
