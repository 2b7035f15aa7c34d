using System.Data.Common;
using System.Globalization;
using Optiks.Native;

namespace Optiks.Storage.Conformance;

/// <summary>Tests what only engines with a server have: users and their roles, sessions, and pending rows that contain the ids of their
/// requests.</summary>
public abstract class ServerConformance : StorageConformance
{
    private static readonly (string Role, string Sql)[] s_forbidden =
    [
        ("optiks_update", "UPDATE optiks.Head SET Epoch = 7"),
        ("optiks_update", "DELETE FROM optiks.Pending"),
        ("optiks_update", "DELETE FROM optiks.Request"),
        ("optiks_task", "DELETE FROM optiks.Epoch"),
        ("optiks_task", "DELETE FROM optiks.Leaf"),
        ("optiks_task", "UPDATE optiks.Leaf SET Version = 7"),
        ("optiks_task", "DELETE FROM optiks.Erasure"),
        ("optiks_update", "DELETE FROM optiks.Erasure"),
        ("optiks_query", "DELETE FROM optiks.Erasure"),
        ("optiks_task", "DELETE FROM optiks.Head"),
        ("optiks_task", "DELETE FROM optiks.Copy"),
        ("optiks_task", "UPDATE optiks.Copy SET Version = 7"),
        ("optiks_task", "DELETE FROM optiks.Period"),
        ("optiks_update", "SELECT Commitment FROM optiks.Copy"),
        ("optiks_update", "UPDATE optiks.Period SET State = 5"),
        ("optiks_query", "DELETE FROM optiks.Copy"),
        ("optiks_query", "UPDATE optiks.Period SET State = 5"),
        ("optiks_query", "SELECT Seq FROM optiks.Pending"),
        ("optiks_query", "SELECT Seq FROM optiks.Request"),
        ("optiks_query", "UPDATE optiks.Head SET Epoch = 7"),
    ];

    protected ServerConformance(IServerFixture fixture)
        : base(fixture) => Server = fixture;

    protected IServerFixture Server { get; }

    private ServerSql Sql => Server.Sql;

    [Fact]
    public async Task A_database_of_a_newer_release_is_refused()
    {
        _ = await ExecuteAsync(ConnectionString, "INSERT INTO optiks.Migration (Version, Name) VALUES (999, '0999_later')");
        await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Fixture.Provider.OpenFollowAsync(ConnectionString, Cancel));
        await Assert.ThrowsAsync<StorageMisconfiguredException>(
            () => Fixture.Provider.CreateMigrator(ConnectionString).MigrateAsync(Cancel));
        _ = await ExecuteAsync(ConnectionString, "DELETE FROM optiks.Migration WHERE Version = 999");
        await (await Fixture.Provider.OpenFollowAsync(ConnectionString, Cancel)).DisposeAsync();
    }

    [Fact]
    public async Task Updates_that_wait_while_the_database_is_migrated_are_read_afterwards()
    {
        AcceptRequest request = await RequestAsync(Item("alice"), Item("bob"));
        Assert.Equal(AcceptStatus.Accepted, (await TryAcceptAsync(request)).Status);
        if (Sql.NamingConstraint is { } constraint)
        {
            _ = await ExecuteAsync(ConnectionString, $"ALTER TABLE optiks.Pending DROP CONSTRAINT {constraint}");
        }
        string[] columns = [Sql.RequestId, Sql.BodyHash];
        foreach (string column in columns)
        {
            _ = await ExecuteAsync(ConnectionString, $"ALTER TABLE optiks.Pending DROP COLUMN {column}");
        }
        // The test also removes the objects that later migrations made, because these migrations will run again.
        foreach (string sql in Sql.Undo)
        {
            _ = await ExecuteAsync(ConnectionString, sql);
        }
        int version = int.Parse(Sql.NamingMigration.AsSpan(0, 4), NumberStyles.None, CultureInfo.InvariantCulture);
        _ = await ExecuteAsync(ConnectionString,
            string.Create(CultureInfo.InvariantCulture, $"DELETE FROM optiks.Migration WHERE Version >= {version}"));
        Assert.Equal(Sql.NamingMigration, (await Fixture.Provider.CreateMigrator(ConnectionString).MigrateAsync(Cancel))[0]);
        PendingRequest pending = Assert.Single(await Pipeline.ReadPendingAsync(10, long.MaxValue, Cancel));
        Assert.Equal(request.RequestId, pending.RequestId);
        Assert.Equal(request.BodyHash.ToArray(), pending.BodyHash.ToArray());
        Assert.Equal(2, pending.Items.Count);
        foreach (string column in columns)
        {
            await Assert.ThrowsAnyAsync<DbException>(() => ExecuteAsync(ConnectionString, $"UPDATE optiks.Pending SET {column} = NULL"));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_pending_update_that_names_another_request_than_its_own_is_not_exported(bool hasOtherContent)
    {
        _ = await AcceptOneAsync(Item("alice"));
        await using MaintenanceStore maintenance = await Fixture.Provider.OpenMaintenanceAsync(ConnectionString, Cancel);
        Assert.Single(await ReadPendingAsync());
        string change = hasOtherContent ? $"{Sql.BodyHash} = {Sql.AnotherBodyHash}" : $"{Sql.RequestId} = {Sql.AnotherRequestId}";
        Assert.Equal(1, await ExecuteAsync(ConnectionString, $"UPDATE optiks.Pending SET {change}"));
        await Assert.ThrowsAsync<StorageCorruptException>(ReadPendingAsync);

        async Task<IReadOnlyList<StoredPending>> ReadPendingAsync()
        {
            await using ConsistentRead read = await maintenance.OpenConsistentReadAsync(Cancel);
            return await read.ReadPendingAsync(0, long.MaxValue, Cancel);
        }
    }

    [Fact]
    public async Task A_pending_update_without_its_request_is_not_imported()
    {
        await using MaintenanceStore maintenance = await Fixture.Provider.OpenMaintenanceAsync(ConnectionString, Cancel);
        await using StorageImport import = await maintenance.BeginImportAsync(Cancel);
        AcceptRequest request = await RequestAsync(Item("alice"));
        await import.AddRequestsAsync([new StoredRequest(1, request.RequestId, request.BodyHash)], Cancel);
        await import.AddPendingAsync([new StoredPending(1, 0, request.Items[0])], Cancel);
        await Assert.ThrowsAsync<StorageCorruptException>(
            () => import.AddPendingAsync([new StoredPending(2, 0, request.Items[0])], Cancel));
    }

    [Fact]
    public async Task Each_service_can_do_its_work_in_its_role()
    {
        await using IAcceptStore accept =
            await Fixture.Provider.OpenAcceptAsync(await Server.CreateUserAsync(ConnectionString, "optiks_update"), Cancel);
        await using PipelineStore pipeline =
            await Fixture.Provider.OpenPipelineAsync(await Server.CreateUserAsync(ConnectionString, "optiks_task"), Cancel);
        await using IFollowStore follow =
            await Fixture.Provider.OpenFollowAsync(await Server.CreateUserAsync(ConnectionString, "optiks_query"), Cancel);
        Lease lease = await LeaseAsync(pipeline, "task");
        await pipeline.CreateGenesisAsync(lease, Epoch(0), PeriodRow.Genesis(Octets("wrapped"), Octets("configuration")), Cancel);
        await pipeline.StoreCheckpointAsync(lease, 0, Epoch(0).RecordHash, Octets("checkpoint"), Cancel);
        await pipeline.PublishAsync(lease, 0, Cancel);
        AcceptRequest request = await RequestAsync(Item("a"));
        Assert.Equal(AcceptStatus.Accepted, Assert.Single(await accept.AcceptAsync([new AcceptUnit([request])], Cancel)).Status);
        // With this many requests, the store uses its statements for large groups.
        AcceptRequest[] many = await RequestsAsync(300, i => [Item($"many {i}")]);
        Assert.Equal(AcceptStatus.Accepted, Assert.Single(await accept.AcceptAsync([new AcceptUnit(many)], Cancel)).Status);
        EpochCommit commit = Commit(1, await pipeline.ReadPendingAsync(10, 1 << 20, Cancel));
        Assert.Equal(CommitResult.Committed, await pipeline.CommitEpochAsync(lease, commit, Cancel));
        Assert.NotNull(await pipeline.ReadUnpublishedAsync(Cancel));
        await pipeline.StoreCheckpointAsync(lease, 1, Epoch(1).RecordHash, Octets("checkpoint"), Cancel);
        await pipeline.PublishAsync(lease, 1, Cancel);
        Assert.Equal(0, await pipeline.PurgeRequestsAsync(lease, 10, Cancel));
        Assert.Equal(RequestState.Published, (await accept.ReadStatusAsync(request.RequestId, Cancel))!.State);
        Assert.Single(await follow.ReadPeriodsAsync(Cancel));
        _ = await pipeline.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        CopyBatch copies = await CopiesAsync(1, 0, (System.Text.Encoding.UTF8.GetString(commit.Leaves.Key(0).Span), 1));
        Assert.Equal(StageResult.Staged, await pipeline.StageCopiesAsync(lease, copies, Cancel));
        AssertSameCopies(copies, await follow.ReadCopiesAsync(1, 0, 10, LeafColumns.All, Cancel));
        await foreach (LeafBatch batch in follow.ReadLeavesAsync(0, 1, 10, LeafColumns.All, Cancel))
        {
            AssertSameLeaves(commit.Leaves, batch);
        }
        await EraseAsync(accept, pipeline, follow, lease, commit);
        EpochCommit switching = Commit(3, []) with { Period = 1, Switch = new PeriodSwitch(1, 1) };
        Assert.Equal(CommitResult.Committed, await pipeline.CommitEpochAsync(lease, switching, Cancel));
        await pipeline.BeginDestroyingAsync(lease, 0, retainedPeriods: 1, Cancel);
        Assert.True(await pipeline.DestroyAsync(lease, 0, 10, Cancel));
        Assert.Equal([PeriodState.Destroyed, PeriodState.Current], (await follow.ReadPeriodsAsync(Cancel)).Select(period => period.State));
        Assert.True(await pipeline.RenewLeaseAsync(lease, TimeSpan.FromMinutes(1), Cancel));
        await pipeline.ReleaseLeaseAsync(lease, Cancel);
    }

    [Fact]
    public async Task A_role_cannot_do_what_is_anothers()
    {
        foreach (IGrouping<string, string> role in s_forbidden.Concat(Sql.Forbidden)
            .GroupBy(forbidden => forbidden.Role, forbidden => forbidden.Sql))
        {
            string user = await Server.CreateUserAsync(ConnectionString, role.Key);
            Assert.NotNull(await ScalarAsync(user, "SELECT Fence FROM optiks.Head"));
            foreach (string sql in role)
            {
                DbException e = await Assert.ThrowsAnyAsync<DbException>(() => ExecuteAsync(user, sql));
                Assert.True(Server.IsDenied(e), $"{role.Key}: {sql}: {e.Message}");
            }
        }
    }

    [Fact]
    public async Task A_user_in_another_role_is_refused_when_a_store_opens()
    {
        string update = await Server.CreateUserAsync(ConnectionString, "optiks_update");
        string query = await Server.CreateUserAsync(ConnectionString, "optiks_query");
        await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Fixture.Provider.OpenAcceptAsync(query, Cancel));
        await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Fixture.Provider.OpenPipelineAsync(update, Cancel));
        await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Fixture.Provider.OpenFollowAsync(update, Cancel));
        await (await Fixture.Provider.OpenAcceptAsync(update, Cancel)).DisposeAsync();
        await (await Fixture.Provider.OpenFollowAsync(query, Cancel)).DisposeAsync();
    }

    // Runs each step of an erasure with the rights of the role that performs this step.
    private static async Task EraseAsync(IAcceptStore accept, PipelineStore pipeline, IFollowStore follow, Lease lease, EpochCommit first)
    {
        AcceptRequest order = Request(Guid.CreateVersion7(await accept.ReadClockAsync(Cancel)),
            new ErasureOrder(Protocol.StructureId.Keys, 1, 1).ToItem(Octets("a")));
        Assert.Equal(AcceptStatus.Accepted, Assert.Single(await accept.AcceptAsync([new AcceptUnit([order])], Cancel)).Status);
        PendingRequest pending = (await pipeline.ReadPendingAsync(1000, 128 << 20, Cancel)).Single(one => one.Kind == RequestKind.Erasure);
        LeafRow row = first.Leaves.Rows.Span[0];
        LeafPlace place = (await pipeline.FindLeavesAsync([new LeafName(1, row.Structure, row.Label.ToArray())], Cancel))[0]!;
        Assert.NotNull(await pipeline.ReadValueAsync(place, Cancel));
        EpochCommit commit = Commit(2, [pending], leaveOut: (_, _) => new ItemResult.Erased()) with
        {
            Erasures = [new Erasure(place.Epoch, place.Ordinal, new LeafOrigin(order.RequestId, 0))],
        };
        Assert.Equal(CommitResult.Committed, await pipeline.CommitEpochAsync(lease, commit, Cancel));
        await pipeline.StoreCheckpointAsync(lease, 2, Epoch(2).RecordHash, Octets("checkpoint"), Cancel);
        await pipeline.PublishAsync(lease, 2, Cancel);
        Assert.Single(await accept.ReadReceiptAsync(2, order.RequestId, Cancel));
        // The leaf and its copy are both erased.
        Assert.Equal(2, (await follow.ReadErasuresAsync(0, 2, Cancel)).Count);
    }

    [Fact]
    public async Task A_takeover_ends_the_sessions_of_a_holder_that_is_paused_inside_its_transaction()
    {
        Lease paused = await StartLogAsync();
        Assert.True(await Pipeline.RenewLeaseAsync(paused, TimeSpan.FromMilliseconds(1), Cancel));
        string session = (string)(await ScalarAsync(ConnectionString, "SELECT Session FROM optiks.Head"))!;
        // This session plays the part of a lease's holder. The holder stopped between its update of the head row and its commit, so it
        // still holds the row's lock.
        await using DbConnection connection = Server.Connect(ConnectionString, session);
        await connection.OpenAsync(Cancel);
        await using DbTransaction transaction = await connection.BeginTransactionAsync(Cancel);
        await using (DbCommand update = Command(connection, "UPDATE optiks.Head SET Fence = 77"))
        {
            update.Transaction = transaction;
            Assert.Equal(1, await update.ExecuteNonQueryAsync(Cancel));
        }
        PipelineStore other = await OpenPipelineAsync();
        Lease second = await LeaseAsync(other, "second");
        Assert.Equal(paused.Fence + 1, second.Fence);
        await Assert.ThrowsAnyAsync<Exception>(() => transaction.CommitAsync(Cancel));
        Assert.Equal(second.Fence, (await other.ReadHeadAsync(Cancel)).Fence);
        Assert.False(await Pipeline.RenewLeaseAsync(paused, TimeSpan.FromMinutes(1), Cancel));
    }

    private static DbCommand Command(DbConnection connection, string sql)
    {
        DbCommand command = connection.CreateCommand();
#pragma warning disable CA2100 // The SQL texts are constants of this class and of the fixture.
        command.CommandText = sql;
#pragma warning restore CA2100
        return command;
    }

    private Task<int> ExecuteAsync(string connectionString, string sql) =>
        RunAsync(connectionString, sql, command => command.ExecuteNonQueryAsync(Cancel));

    private Task<object?> ScalarAsync(string connectionString, string sql) =>
        RunAsync(connectionString, sql, command => command.ExecuteScalarAsync(Cancel));

    // Runs a statement on a connection of its own.
    private async Task<T> RunAsync<T>(string connectionString, string sql, Func<DbCommand, Task<T>> run)
    {
        await using DbConnection connection = Server.Connect(connectionString);
        await connection.OpenAsync(Cancel);
        await using DbCommand command = Command(connection, sql);
        return await run(command);
    }
}
