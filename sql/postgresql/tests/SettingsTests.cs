using Npgsql;
using Optiks.Storage.Conformance;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql.Tests;

/// <summary>Tests settings of the whole server. No other test runs at the same time, because all tests use the same server.</summary>
[Collection(nameof(ServerKills))]
public sealed class SettingsTests() : StorageConformance(new PostgreSqlFixture())
{
    [Fact]
    public async Task Settings_that_lose_commits_do_not_reach_the_services_sessions()
    {
        string name = new NpgsqlConnectionStringBuilder(ConnectionString).Database!;
        await using Database database = await Database.OpenAsync(PostgreSqlSettings.Parse(ConnectionString, "update"), Cancel);
        Assert.Equal(("on", "read committed", "warning"), await SettingsAsync(database));
        await Cluster.ExecuteAsync(ConnectionString, $"ALTER DATABASE {name} SET synchronous_commit = 'off'");
        await Cluster.ExecuteAsync(ConnectionString, $"ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'");
        await Cluster.ExecuteAsync(ConnectionString, $"ALTER DATABASE {name} SET client_min_messages = 'error'");
        await using (var other = new NpgsqlConnection(ConnectionString + ";Pooling=false"))
        {
            await other.OpenAsync(Cancel);
            await using var show = new NpgsqlCommand("SHOW synchronous_commit", other);
            Assert.Equal("off", await show.ExecuteScalarAsync(Cancel));
        }
        await Cluster.ExecuteAsync(
            ConnectionString, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", database.SessionName);
        Assert.Equal(("on", "read committed", "warning"), await SettingsAsync(database));
    }

    [Fact]
    public async Task A_server_that_does_not_sync_is_refused_by_new_sessions_too()
    {
        await using Database database = await Database.OpenAsync(PostgreSqlSettings.Parse(ConnectionString, "update"), Cancel);
        try
        {
            await ReloadAsync("off");
            await Cluster.ExecuteAsync(ConnectionString,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", database.SessionName);
            StorageUnavailableException e = await Assert.ThrowsAsync<StorageUnavailableException>(() => SettingsAsync(database));
            Assert.Contains("fsync = off", e.Message, StringComparison.Ordinal);
            // Opening the store fails with an exception that tells programs not to retry, and with a message for the operator.
            await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Fixture.Provider.OpenPipelineAsync(ConnectionString, Cancel));
        }
        finally
        {
            await ReloadAsync("on");
        }
        Assert.Equal(("on", "read committed", "warning"), await SettingsAsync(database));
    }

    [Fact]
    public async Task Migrating_says_which_roles_it_could_not_make()
    {
        await Cluster.Current.DropMigratedAsync();
        await Cluster.ExecuteAsync(ConnectionString, "DROP OWNED BY optiks_update; DROP ROLE optiks_update");
        string fresh = await Cluster.Current.CreateDatabaseAsync();
        string user = $"plain_{new NpgsqlConnectionStringBuilder(fresh).Database}";
        await Cluster.ExecuteAsync(
            fresh, $"CREATE USER {user}; ALTER DATABASE {new NpgsqlConnectionStringBuilder(fresh).Database} OWNER TO {user}");
        Migrator plain = Fixture.Provider.CreateMigrator(new NpgsqlConnectionStringBuilder(fresh) { Username = user }.ConnectionString);
        Assert.NotEmpty(await plain.MigrateAsync(Cancel));
        Assert.Contains("CREATE ROLE optiks_update NOLOGIN", Assert.Single(await plain.FindGapsAsync(Cancel)), StringComparison.Ordinal);

        Migrator administrator = Fixture.Provider.CreateMigrator(fresh);
        Assert.Empty(await administrator.MigrateAsync(Cancel));
        Assert.Empty(await administrator.FindGapsAsync(Cancel));
        Assert.Empty(await plain.FindGapsAsync(Cancel));
        await Cluster.Current.DropDatabaseAsync(fresh);
        await Cluster.ExecuteAsync(ConnectionString, $"DROP USER {user}");
    }

    private static Task<(string, string, string)> SettingsAsync(Database database) => database.ReadAsync(
        async (session, cancel) =>
        {
            await using NpgsqlCommand select = session.Connection.Command(
                "SELECT current_setting('synchronous_commit'), current_setting('default_transaction_isolation'), current_setting('client_min_messages')");
            await using NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancel);
            Assert.True(await reader.ReadAsync(cancel));
            return (reader.GetString(0), reader.GetString(1), reader.GetString(2));
        },
        Cancel);

    // The server applies the reloaded settings only a short time after the command.
    private async Task ReloadAsync(string fsync)
    {
        await Cluster.ExecuteAsync(ConnectionString, $"ALTER SYSTEM SET fsync = {fsync}");
        await Cluster.ExecuteAsync(ConnectionString, "SELECT pg_reload_conf()");
        string seen;
        do
        {
            await using var connection = new NpgsqlConnection(ConnectionString + ";Pooling=false");
            await connection.OpenAsync(Cancel);
            await using var show = new NpgsqlCommand("SHOW fsync", connection);
            seen = (string)(await show.ExecuteScalarAsync(Cancel))!;
        }
        while (seen != fsync);
    }
}
