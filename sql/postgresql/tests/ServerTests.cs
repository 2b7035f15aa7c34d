using Npgsql;
using Optiks.Storage.Conformance;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql.Tests;

/// <summary>ServerTests: what only a server has: roles, sessions and notifications.</summary>
public sealed class ServerTests() : StorageConformance(new PostgreSqlFixture())
{
    [Fact]
    public async Task A_database_of_a_newer_release_is_refused()
    {
        await Cluster.ExecuteAsync(ConnectionString, "INSERT INTO migration (version, name) VALUES (999, '0999_later')");
        await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Fixture.Provider.OpenFollowAsync(ConnectionString, Cancel));
        await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Fixture.Provider.CreateMigrator(ConnectionString).MigrateAsync(Cancel));
        await Cluster.ExecuteAsync(ConnectionString, "DELETE FROM migration WHERE version = 999");
        await (await Fixture.Provider.OpenFollowAsync(ConnectionString, Cancel)).DisposeAsync();
    }

    [Fact]
    public async Task Updates_that_wait_while_the_database_is_migrated_are_read_afterwards()
    {
        AcceptRequest request = await RequestAsync(Item("alice"), Item("bob"));
        Assert.Equal(AcceptStatus.Accepted, (await TryAcceptAsync(request)).Status);
        _ = await Cluster.ExecuteAsync(ConnectionString, "ALTER TABLE pending DROP COLUMN request_id, DROP COLUMN body_hash");
        _ = await Cluster.ExecuteAsync(ConnectionString, "DELETE FROM migration WHERE version >= 2");
        Assert.Equal("0002_pending_names_its_request", (await Fixture.Provider.CreateMigrator(ConnectionString).MigrateAsync(Cancel))[0]);
        PendingRequest pending = Assert.Single(await Pipeline.ReadPendingAsync(10, long.MaxValue, Cancel));
        Assert.Equal(request.RequestId, pending.RequestId);
        Assert.Equal(request.BodyHash.ToArray(), pending.BodyHash.ToArray());
        Assert.Equal(2, pending.Items.Count);
    }

    [Theory]
    [InlineData("request_id = gen_random_uuid()")]
    [InlineData("body_hash = sha256('another')")]
    public async Task A_pending_update_that_names_another_request_than_its_own_is_not_exported(string change)
    {
        _ = await AcceptOneAsync(Item("alice"));
        await using IMaintenanceStore maintenance = await Fixture.Provider.OpenMaintenanceAsync(ConnectionString, Cancel);
        Assert.Single(await ReadPendingAsync());
        Assert.Equal(1, await Cluster.ExecuteAsync(ConnectionString, $"UPDATE pending SET {change}"));
        await Assert.ThrowsAsync<StorageCorruptException>(ReadPendingAsync);

        async Task<IReadOnlyList<StoredPending>> ReadPendingAsync()
        {
            await using IConsistentRead read = await maintenance.OpenConsistentReadAsync(Cancel);
            return await read.ReadPendingAsync(0, long.MaxValue, Cancel);
        }
    }

    [Fact]
    public async Task A_pending_update_without_its_request_is_not_imported()
    {
        await using IMaintenanceStore maintenance = await Fixture.Provider.OpenMaintenanceAsync(ConnectionString, Cancel);
        await using IStorageImport import = await maintenance.BeginImportAsync(Cancel);
        AcceptRequest request = await RequestAsync(Item("alice"));
        await import.AddRequestsAsync([new StoredRequest(1, request.RequestId, request.BodyHash)], Cancel);
        await import.AddPendingAsync([new StoredPending(1, 0, request.Items[0])], Cancel);
        await Assert.ThrowsAsync<StorageCorruptException>(() => import.AddPendingAsync([new StoredPending(2, 0, request.Items[0])], Cancel));
    }

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
    public async Task Each_service_can_do_its_work_in_its_role()
    {
        string update = await UserAsync("optiks_update");
        string task = await UserAsync("optiks_task");
        string query = await UserAsync("optiks_query");
        await using IAcceptStore accept = await Fixture.Provider.OpenAcceptAsync(update, Cancel);
        await using IPipelineStore pipeline = await Fixture.Provider.OpenPipelineAsync(task, Cancel);
        await using IFollowStore follow = await Fixture.Provider.OpenFollowAsync(query, Cancel);
        Lease lease = await LeaseAsync(pipeline, "task");
        await pipeline.CreateGenesisAsync(lease, Epoch(0), new PeriodRow(0, 0, Octets("wrapped"), Octets("configuration")), Cancel);
        await pipeline.StoreCheckpointAsync(lease, 0, Epoch(0).RecordHash, Octets("checkpoint"), Cancel);
        await pipeline.PublishAsync(lease, 0, Cancel);
        AcceptRequest request = await RequestAsync(Item("a"));
        Assert.Equal(AcceptStatus.Accepted, Assert.Single(await accept.AcceptAsync([new AcceptUnit([request])], Cancel)).Status);
        // So many are stored in another way.
        AcceptRequest[] many = await Task.WhenAll(Enumerable.Range(0, 300).Select(i => RequestAsync(Item($"many {i}"))));
        Assert.Equal(AcceptStatus.Accepted, Assert.Single(await accept.AcceptAsync([new AcceptUnit(many)], Cancel)).Status);
        EpochCommit commit = Commit(1, await pipeline.ReadPendingAsync(10, 1 << 20, Cancel));
        Assert.Equal(CommitResult.Committed, await pipeline.CommitEpochAsync(lease, commit, Cancel));
        Assert.NotNull(await pipeline.ReadUnpublishedAsync(Cancel));
        await pipeline.StoreCheckpointAsync(lease, 1, Epoch(1).RecordHash, Octets("checkpoint"), Cancel);
        await pipeline.PublishAsync(lease, 1, Cancel);
        Assert.Equal(0, await pipeline.PurgeRequestsAsync(lease, 10, Cancel));
        Assert.Equal(RequestState.Published, (await accept.ReadStatusAsync(request.RequestId, Cancel))!.State);
        Assert.Single(await follow.ReadPeriodsAsync(Cancel));
        await foreach (LeafBatch batch in follow.ReadLeavesAsync(0, 1, 10, LeafColumns.All, Cancel))
        {
            AssertSameLeaves(commit.Leaves, batch);
        }
        Assert.True(await pipeline.RenewLeaseAsync(lease, TimeSpan.FromMinutes(1), Cancel));
        await pipeline.ReleaseLeaseAsync(lease, Cancel);
    }

    [Theory]
    [InlineData("optiks_update", "INSERT INTO epoch (epoch, leaves, value_bytes, record_hash, record) VALUES (7, 0, 0, decode(repeat('00', 32), 'hex'), '')")]
    [InlineData("optiks_update", "UPDATE head SET epoch = 7")]
    [InlineData("optiks_update", "DELETE FROM pending")]
    [InlineData("optiks_update", "DELETE FROM request")]
    [InlineData("optiks_update", "SELECT wrapped_secrets FROM period")]
    [InlineData("optiks_update", "SELECT value FROM value")]
    [InlineData("optiks_update", "SELECT opening FROM value")]
    [InlineData("optiks_task", "INSERT INTO request (request_id, body_hash) VALUES (gen_random_uuid(), decode(repeat('00', 32), 'hex'))")]
    [InlineData("optiks_task", "INSERT INTO pending (seq, item, structure, key, value, request_id, body_hash) SELECT 1, 0, 1, 'k', 'v', request_id, body_hash FROM request")]
    [InlineData("optiks_task", "UPDATE epoch SET record = ''")]
    [InlineData("optiks_task", "DELETE FROM epoch")]
    [InlineData("optiks_task", "DELETE FROM leaf")]
    [InlineData("optiks_task", "UPDATE leaf SET version = 7")]
    [InlineData("optiks_task", "DELETE FROM head")]
    [InlineData("optiks_query", "SELECT * FROM pending")]
    [InlineData("optiks_query", "SELECT * FROM request")]
    [InlineData("optiks_query", "UPDATE head SET epoch = 7")]
    [InlineData("optiks_query", "DELETE FROM value")]
    [InlineData("optiks_query", "CREATE TABLE optiks.mine (one integer)")]
    public async Task A_role_cannot_do_what_is_anothers(string role, string sql)
    {
        string user = await UserAsync(role);
        _ = await Cluster.ExecuteAsync(user, "SELECT epoch FROM head");
        PostgresException e = await Assert.ThrowsAsync<PostgresException>(() => Cluster.ExecuteAsync(user, sql));
        Assert.Equal(PostgresErrorCodes.InsufficientPrivilege, e.SqlState);
    }

    [Fact]
    public async Task A_publication_and_nothing_else_wakes_the_listener()
    {
        Lease lease = await StartLogAsync();
        await using Database database = await Database.OpenAsync(PostgreSqlSettings.Parse(ConnectionString, "query"), Cancel);
        await using var listener = new Listener(database);
        // The first wake-up says that it listens now; from here on it does not poll.
        await listener.Next().WaitAsync(TimeSpan.FromSeconds(10), Cancel);
        Task next = listener.Next();
        _ = await AcceptOneAsync(Item("a"));
        Assert.Equal(CommitResult.Committed, await CommitPendingAsync(lease, 1));
        await Task.Delay(100, Cancel);
        Assert.False(next.IsCompleted);
        await SignAndPublishAsync(lease, 1);
        await next.WaitAsync(TimeSpan.FromSeconds(10), Cancel);
    }

    [Fact]
    public async Task A_takeover_ends_the_sessions_of_a_holder_that_is_paused_inside_its_transaction()
    {
        Lease paused = await StartLogAsync();
        Assert.True(await Pipeline.RenewLeaseAsync(paused, TimeSpan.FromMilliseconds(1), Cancel));
        string session = await SessionAsync();
        // As if it had stopped between the head row's update and the commit: it holds the lock of the head row.
        await using var connection = new NpgsqlConnection(new NpgsqlConnectionStringBuilder(ConnectionString) { Pooling = false, ApplicationName = session, SearchPath = "optiks" }.ConnectionString);
        await connection.OpenAsync(Cancel);
        await using (var update = new NpgsqlCommand("BEGIN; UPDATE head SET epoch = 7, published_epoch = 7", connection))
        {
            Assert.Equal(1, await update.ExecuteNonQueryAsync(Cancel));
        }
        IPipelineStore other = await OpenPipelineAsync();
        Lease second = await LeaseAsync(other, "second");
        Assert.Equal(paused.Fence + 1, second.Fence);
        await using (var commit = new NpgsqlCommand("COMMIT", connection))
        {
            await Assert.ThrowsAnyAsync<NpgsqlException>(() => commit.ExecuteNonQueryAsync(Cancel));
        }
        Assert.Equal(0ul, (await other.ReadHeadAsync(Cancel)).Epoch);
        Assert.False(await Pipeline.RenewLeaseAsync(paused, TimeSpan.FromMinutes(1), Cancel));
    }

    [Fact]
    public async Task A_service_that_is_paused_while_it_copies_holds_up_single_updates_for_seconds_and_lists_not_at_all()
    {
        AcceptRequest request = await RequestAsync(Item("alice"));
        AcceptUnit[] list = await Task.WhenAll(Enumerable.Range(0, 300).Select(async i => new AcceptUnit([await RequestAsync(Item($"key {i}"))])));
        await using var paused = new NpgsqlConnection(ConnectionString + ";Pooling=false;Search Path=optiks");
        await paused.OpenAsync(Cancel);
        await using NpgsqlTransaction transaction = await paused.BeginTransactionAsync(Cancel);
        await using var take = new NpgsqlCommand($"SELECT pg_advisory_xact_lock_shared({AdvisoryLocks.Accept})", paused, transaction);
        _ = await take.ExecuteNonQueryAsync(Cancel);
        await using NpgsqlBinaryImporter copy = await paused.BeginBinaryImportAsync("COPY request (seq, request_id, body_hash) FROM STDIN (FORMAT BINARY)", Cancel);
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
                // As long as the lock cannot be got.
            }
        }
        Assert.Equal(new AcceptResult(AcceptStatus.Accepted), result);
        Assert.InRange(attempts, 2, 4);
        Assert.Equal(list.Length + 1, await Pipeline.CountPendingAsync(Cancel));
        await Assert.ThrowsAnyAsync<NpgsqlException>(async () => await copy.CompleteAsync(Cancel));
    }

    private async Task<string> SessionAsync()
    {
        await using var connection = new NpgsqlConnection(ConnectionString + ";Pooling=false;Search Path=optiks");
        await connection.OpenAsync(Cancel);
        await using var select = new NpgsqlCommand("SELECT session FROM head", connection);
        return (string)(await select.ExecuteScalarAsync(Cancel))!;
    }

    // Users belong to the whole server: one for each role and database.
    private async Task<string> UserAsync(string role)
    {
        string user = $"{role}_{new NpgsqlConnectionStringBuilder(ConnectionString).Database}";
        await Cluster.ExecuteAsync(ConnectionString, $"CREATE USER {user} IN ROLE {role}");
        return new NpgsqlConnectionStringBuilder(ConnectionString) { Username = user }.ConnectionString;
    }
}
