using System.Globalization;
using Npgsql;
using Optiks.Storage.Conformance;

namespace Optiks.Storage.PostgreSql.Tests;

/// <summary>PostgreSqlFixture gives each test a database of its own in the run's server.</summary>
public sealed class PostgreSqlFixture : IStorageFixture
{
    public IStorageProvider Provider { get; } = new PostgreSqlStorageProvider();

    public Task<string> CreateAsync() => Cluster.Current.CreateDatabaseAsync();

    public Task DropAsync(string connectionString) => Cluster.Current.DropDatabaseAsync(connectionString);

    public async Task ReplaceRequestIdAsync(string connectionString, Guid present, Guid replacement)
    {
        Assert.Equal(1, await Cluster.ExecuteAsync(connectionString, "UPDATE request SET request_id = $1 WHERE request_id = $2", replacement, present));
        _ = await Cluster.ExecuteAsync(connectionString, "UPDATE pending SET request_id = $1 WHERE request_id = $2", replacement, present);
    }

    public async Task DeletePendingAsync(string connectionString, long sequence, int item) =>
        Assert.Equal(1, await Cluster.ExecuteAsync(connectionString, "DELETE FROM pending WHERE seq = $1 AND item = $2", sequence, (short)item));

    public async Task AbandonWriteAsync(string connectionString, ulong epoch)
    {
        await using var connection = new NpgsqlConnection(connectionString + ";Pooling=false;Search Path=optiks");
        await connection.OpenAsync();
        await using var command = new NpgsqlCommand(string.Create(CultureInfo.InvariantCulture, $"BEGIN; UPDATE head SET epoch = {epoch}, published_epoch = NULL"), connection);
        Assert.Equal(1, await command.ExecuteNonQueryAsync());
    }
}
