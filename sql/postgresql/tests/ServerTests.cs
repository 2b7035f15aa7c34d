using Npgsql;
using Optiks.Storage.Conformance;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql.Tests;

/// <summary>Runs the tests for engines with a server, and tests PostgreSQL's notifications and locks.</summary>
public sealed class ServerTests() : ServerConformance(new PostgreSqlFixture())
{
    [Fact]
    public async Task A_server_or_database_that_is_not_there_is_said_so()
    {
        string nowhere = new NpgsqlConnectionStringBuilder(ConnectionString) { Port = 1 }.ConnectionString;
        await Assert.ThrowsAsync<StorageUnavailableException>(() => Fixture.Provider.OpenAcceptAsync(nowhere, Cancel));
        string missing = new NpgsqlConnectionStringBuilder(ConnectionString) { Database = "missing" }.ConnectionString;
        await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Fixture.Provider.OpenAcceptAsync(missing, Cancel));
        Assert.Equal(0, await Fixture.Provider.CreateMigrator(missing).ReadVersionAsync(Cancel));
    }

    [Fact]
    public async Task A_store_that_was_open_waits_until_its_user_is_let_in_again()
    {
        string connectionString = await Server.CreateUserAsync(ConnectionString, "optiks_query");
        string user = new NpgsqlConnectionStringBuilder(connectionString).Username!;
        await using IFollowStore follow = await Fixture.Provider.OpenFollowAsync(connectionString, Cancel);
        Assert.Empty(await follow.ReadPeriodsAsync(Cancel));
        (string Undo, string Redo, string Says)[] mistakes =
        [
            ($"ALTER ROLE {user} NOLOGIN", $"ALTER ROLE {user} LOGIN", "SQLSTATE 28000"),
            ($"REVOKE optiks_query FROM {user}", $"GRANT optiks_query TO {user}", "SQLSTATE 42P01"),
            ("ALTER TABLE optiks.period RENAME TO aside", "ALTER TABLE optiks.aside RENAME TO period", "SQLSTATE 42P01"),
        ];
        foreach ((string undo, string redo, string says) in mistakes)
        {
            await Cluster.ExecuteAsync(ConnectionString, undo);
            await Cluster.ExecuteAsync(
                ConnectionString, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = $1", user);
            StorageUnavailableException e = await Assert.ThrowsAsync<StorageUnavailableException>(() => follow.ReadPeriodsAsync(Cancel));
            Assert.True(e.Message.Contains(says, StringComparison.Ordinal), $"{undo}: {e.Message}");
            await Cluster.ExecuteAsync(ConnectionString, redo);
            Assert.Empty(await follow.ReadPeriodsAsync(Cancel));
        }
        await Cluster.ExecuteAsync(ConnectionString, mistakes[0].Undo);
        await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Fixture.Provider.OpenFollowAsync(connectionString, Cancel));
        await Cluster.ExecuteAsync(ConnectionString, mistakes[0].Redo);
    }

    [Fact]
    public async Task A_publication_and_nothing_else_wakes_the_listener()
    {
        Lease lease = await StartLogAsync();
        await using Database database = await Database.OpenAsync(PostgreSqlSettings.Parse(ConnectionString, "query"), Cancel);
        await using var listener = new Listener(database);
        // The first wake-up means that the listener is connected now. From here on, only a notification wakes it.
        await listener.Next().WaitAsync(TimeSpan.FromSeconds(10), Cancel);
        Task next = listener.Next();
        _ = await AcceptOneAsync(Item("a"));
        Assert.Equal(CommitResult.Committed, await CommitPendingAsync(lease, 1));
        await Task.Delay(100, Cancel);
        Assert.False(next.IsCompleted);
        await SignAndPublishAsync(lease, 1);
        await next.WaitAsync(TimeSpan.FromSeconds(10), Cancel);
    }

    [Trait("Level", "Deep")]
    [Fact]
    public async Task A_service_that_is_paused_while_it_copies_holds_up_single_updates_for_seconds_and_lists_not_at_all()
    {
        AcceptRequest request = await RequestAsync(Item("alice"));
        AcceptUnit[] list = await UnitsAsync(300, i => [Item($"key {i}")]);
        await using var paused = new NpgsqlConnection(ConnectionString + ";Pooling=false;Search Path=optiks");
        await paused.OpenAsync(Cancel);
        await using NpgsqlTransaction transaction = await paused.BeginTransactionAsync(Cancel);
        await using var take = new NpgsqlCommand($"SELECT pg_advisory_xact_lock_shared({AdvisoryLocks.Accept})", paused, transaction);
        _ = await take.ExecuteNonQueryAsync(Cancel);
        await using NpgsqlBinaryImporter copy =
            await paused.BeginBinaryImportAsync("COPY request (seq, request_id, body_hash) FROM STDIN (FORMAT BINARY)", Cancel);
        Assert.All(await Accept.AcceptAsync(list, Cancel), accepted => Assert.Equal(AcceptStatus.Accepted, accepted.Status));
        AcceptResult? result = null;
        int attempts = 0;
        for (; result is null && attempts < 5; attempts++)
        {
            try
            {
                result = await TryAcceptAsync(request);
            }
            catch (StorageUnavailableException)
            {
                // The store fails as long as it cannot get the lock, so the test tries again.
            }
        }
        Assert.Equal(new AcceptResult(AcceptStatus.Accepted), result);
        Assert.InRange(attempts, 2, 4);
        Assert.Equal(list.Length + 1, await Pipeline.CountPendingAsync(Cancel));
        await Assert.ThrowsAnyAsync<NpgsqlException>(async () => await copy.CompleteAsync(Cancel));
    }
}
