using System.Data.Common;
using System.Globalization;
using Npgsql;
using Optiks.Storage.Conformance;

namespace Optiks.Storage.PostgreSql.Tests;

/// <summary>Gives each test a database of its own on the server of this test run.</summary>
public sealed class PostgreSqlFixture : IServerFixture
{
    public IStorageProvider Provider { get; } = new PostgreSqlStorageProvider();

    public ServerSql Sql { get; } = new()
    {
        NamingMigration = "0002_pending_names_its_request",
        Undo = ["DROP TABLE erasure", "DROP TABLE copy", "DROP TABLE copy_value", "DROP TABLE switch_request",
            "ALTER TABLE period DROP COLUMN state, DROP COLUMN copies, DROP COLUMN destroyed_before"],
        RequestId = "request_id",
        BodyHash = "body_hash",
        AnotherRequestId = "gen_random_uuid()",
        AnotherBodyHash = "sha256('another')",
        Forbidden =
        [
            ("optiks_update",
                "INSERT INTO epoch (epoch, leaves, value_bytes, record_hash, record) VALUES (7, 0, 0, decode(repeat('00', 32), 'hex'), '')"),
            ("optiks_update", "SELECT wrapped_secrets FROM period"),
            ("optiks_update", "SELECT value FROM value"),
            ("optiks_update", "SELECT opening FROM value"),
            ("optiks_task", "INSERT INTO request (request_id, body_hash) VALUES (gen_random_uuid(), decode(repeat('00', 32), 'hex'))"),
            ("optiks_task",
                "INSERT INTO pending (seq, item, structure, key, value, request_id, body_hash) SELECT 1, 0, 1, 'k', 'v', request_id, body_hash FROM request"),
            ("optiks_task", "UPDATE epoch SET record = ''"),
            ("optiks_query", "DELETE FROM value"),
            ("optiks_update", "DELETE FROM value"),
            ("optiks_update",
                "INSERT INTO erasure (decided_in, number, epoch, ordinal, request_id, item) VALUES (2, 0, 1, 0, gen_random_uuid(), 0)"),
            ("optiks_task", "UPDATE period SET configuration = ''"),
            ("optiks_task", "INSERT INTO switch_request (period) VALUES (1)"),
            ("optiks_update", "INSERT INTO switch_request (period) VALUES (1)"),
            ("optiks_query", "INSERT INTO switch_request (period) VALUES (1)"),
            ("optiks_update", "SELECT value FROM copy_value"),
            ("optiks_query", "DELETE FROM copy_value"),
            ("optiks_query", "CREATE TABLE optiks.mine (one integer)"),
        ],
    };

    public Task<string> CreateAsync() => Cluster.Current.CreateDatabaseAsync();

    public Task<string> CreateMigratedAsync(CancellationToken cancellationToken) => Cluster.Current.CreateMigratedDatabaseAsync();

    public Task DropAsync(string connectionString) => Cluster.Current.DropDatabaseAsync(connectionString);

    public async Task ReplaceRequestIdAsync(string connectionString, Guid present, Guid replacement)
    {
        Assert.Equal(1,
            await Cluster.ExecuteAsync(connectionString, "UPDATE request SET request_id = $1 WHERE request_id = $2", replacement, present));
        _ = await Cluster.ExecuteAsync(connectionString, "UPDATE pending SET request_id = $1 WHERE request_id = $2", replacement, present);
    }

    public async Task DeletePendingAsync(string connectionString, long sequence, int item) =>
        Assert.Equal(
            1, await Cluster.ExecuteAsync(connectionString, "DELETE FROM pending WHERE seq = $1 AND item = $2", sequence, (short)item));

    public async Task AbandonWriteAsync(string connectionString, ulong epoch)
    {
        await using var connection = new NpgsqlConnection(connectionString + ";Pooling=false;Search Path=optiks");
        await connection.OpenAsync();
        await using var command = new NpgsqlCommand(
            string.Create(CultureInfo.InvariantCulture, $"BEGIN; UPDATE head SET epoch = {epoch}, published_epoch = NULL"), connection);
        Assert.Equal(1, await command.ExecuteNonQueryAsync());
    }

    public DbConnection Connect(string connectionString, string? session = null) =>
        new NpgsqlConnection(
            new NpgsqlConnectionStringBuilder(connectionString)
            {
                Pooling = false,
                ApplicationName = session,
                SearchPath = "optiks",
            }.ConnectionString);

    public async Task<string> CreateUserAsync(string connectionString, string role)
    {
        // Users belong to the whole server, which ends with the test run, so nobody removes them.
        string user = $"{role}_{new NpgsqlConnectionStringBuilder(connectionString).Database}";
        await Cluster.ExecuteAsync(connectionString, $"CREATE USER {user} IN ROLE {role}");
        return new NpgsqlConnectionStringBuilder(connectionString) { Username = user }.ConnectionString;
    }

    public bool IsDenied(DbException e) => e.SqlState == PostgresErrorCodes.InsufficientPrivilege;
}
