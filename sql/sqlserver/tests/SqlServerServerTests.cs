using System.Globalization;
using Microsoft.Data.SqlClient;
using Optiks.Storage.Conformance;

namespace Optiks.Storage.SqlServer.Tests;

/// <summary>SqlServerServerTests: what only a server has: settings, roles and sessions.</summary>
public sealed class SqlServerServerTests() : StorageConformance(new SqlServerFixture())
{
    // To an object, and to a column of one.
    private static readonly int[] s_permissionDenied = [229, 230];

    [Theory]
    [InlineData("READ_COMMITTED_SNAPSHOT OFF", "READ_COMMITTED_SNAPSHOT ON")]
    [InlineData("DELAYED_DURABILITY = FORCED", "DELAYED_DURABILITY = DISABLED")]
    public async Task A_setting_that_loses_commits_or_lets_readers_wait_is_refused(string bad, string good)
    {
        Assert.SkipWhen(await SqlServerFixture.IsBabelfishAsync(ConnectionString), "Babelfish has no such settings.");
        string database = new SqlConnectionStringBuilder(ConnectionString).InitialCatalog;
        _ = await SqlServerFixture.ExecuteAsync(ConnectionString, $"ALTER DATABASE {database} SET {bad} WITH ROLLBACK IMMEDIATE");
        StorageMisconfiguredException e = await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Fixture.Provider.OpenAcceptAsync(ConnectionString, Cancel));
        Assert.Contains(bad.Split(' ')[0], e.Message, StringComparison.Ordinal);
        _ = await SqlServerFixture.ExecuteAsync(ConnectionString, $"ALTER DATABASE {database} SET {good} WITH ROLLBACK IMMEDIATE");
        await (await Fixture.Provider.OpenAcceptAsync(ConnectionString, Cancel)).DisposeAsync();
    }

    [Fact]
    public async Task A_database_of_a_newer_release_is_refused()
    {
        _ = await SqlServerFixture.ExecuteAsync(ConnectionString, "INSERT INTO optiks.Migration (Version, Name) VALUES (999, N'0999_later')");
        await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Fixture.Provider.OpenFollowAsync(ConnectionString, Cancel));
        await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Fixture.Provider.CreateMigrator(ConnectionString).MigrateAsync(Cancel));
        _ = await SqlServerFixture.ExecuteAsync(ConnectionString, "DELETE FROM optiks.Migration WHERE Version = 999");
        await (await Fixture.Provider.OpenFollowAsync(ConnectionString, Cancel)).DisposeAsync();
    }

    [Fact]
    public async Task Updates_that_wait_while_the_database_is_migrated_are_read_afterwards()
    {
        AcceptRequest request = await RequestAsync(Item("alice"), Item("bob"));
        Assert.Equal(AcceptStatus.Accepted, (await TryAcceptAsync(request)).Status);
        string[] back =
        [
            "ALTER TABLE optiks.Pending DROP CONSTRAINT CK_Pending_Request",
            "ALTER TABLE optiks.Pending DROP COLUMN RequestId",
            "ALTER TABLE optiks.Pending DROP COLUMN BodyHash",
            "DELETE FROM optiks.Migration WHERE Version >= 3",
        ];
        foreach (string sql in back)
        {
            _ = await SqlServerFixture.ExecuteAsync(ConnectionString, sql);
        }
        Assert.Equal("0003_pending_names_its_request", (await Fixture.Provider.CreateMigrator(ConnectionString).MigrateAsync(Cancel))[0]);
        PendingRequest pending = Assert.Single(await Pipeline.ReadPendingAsync(10, long.MaxValue, Cancel));
        Assert.Equal(request.RequestId, pending.RequestId);
        Assert.Equal(request.BodyHash.ToArray(), pending.BodyHash.ToArray());
        Assert.Equal(2, pending.Items.Count);
        await Assert.ThrowsAsync<SqlException>(() => SqlServerFixture.ExecuteAsync(ConnectionString, "UPDATE optiks.Pending SET RequestId = NULL"));
        await Assert.ThrowsAsync<SqlException>(() => SqlServerFixture.ExecuteAsync(ConnectionString, "UPDATE optiks.Pending SET BodyHash = NULL"));
    }

    [Theory]
    [InlineData("RequestId = CAST(0x01 AS binary(16))")]
    [InlineData("BodyHash = CAST(0x01 AS binary(32))")]
    public async Task A_pending_update_that_names_another_request_than_its_own_is_not_exported(string change)
    {
        _ = await AcceptOneAsync(Item("alice"));
        await using IMaintenanceStore maintenance = await Fixture.Provider.OpenMaintenanceAsync(ConnectionString, Cancel);
        Assert.Single(await ReadPendingAsync());
        Assert.Equal(1, await SqlServerFixture.ExecuteAsync(ConnectionString, $"UPDATE optiks.Pending SET {change}"));
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
    public async Task A_server_database_or_login_that_is_not_there_is_said_so()
    {
        string nowhere = With(builder => (builder.DataSource, builder.ConnectTimeout) = ("127.0.0.1,1", 2));
        await Assert.ThrowsAsync<StorageUnavailableException>(() => Fixture.Provider.OpenAcceptAsync(nowhere, Cancel));
        string missing = With(builder => builder.InitialCatalog = "optiks_missing");
        await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Fixture.Provider.OpenAcceptAsync(missing, Cancel));
        Assert.Equal(0, await Fixture.Provider.CreateMigrator(missing).ReadVersionAsync(Cancel));
        if (await SqlServerFixture.IsBabelfishAsync(ConnectionString))
        {
            // It gives a number of its own to every error of a login.
            return;
        }
        string stranger = With(builder => (builder.IntegratedSecurity, builder.UserID, builder.Password) = (false, "optiks_stranger", "wrong-Passw0rd"));
        await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Fixture.Provider.OpenAcceptAsync(stranger, Cancel));
    }

    [Fact]
    public async Task Each_service_can_do_its_work_in_its_role()
    {
        await using var users = await Users.CreateAsync(ConnectionString);
        await using IAcceptStore accept = await Fixture.Provider.OpenAcceptAsync(users.ConnectionString("optiks_update"), Cancel);
        await using IPipelineStore pipeline = await Fixture.Provider.OpenPipelineAsync(users.ConnectionString("optiks_task"), Cancel);
        await using IFollowStore follow = await Fixture.Provider.OpenFollowAsync(users.ConnectionString("optiks_query"), Cancel);
        Lease lease = await LeaseAsync(pipeline, "task");
        await pipeline.CreateGenesisAsync(lease, Epoch(0), new PeriodRow(0, 0, Octets("wrapped"), Octets("configuration")), Cancel);
        await pipeline.StoreCheckpointAsync(lease, 0, Epoch(0).RecordHash, Octets("checkpoint"), Cancel);
        await pipeline.PublishAsync(lease, 0, Cancel);
        AcceptRequest request = await RequestAsync(Item("a"));
        Assert.Equal(AcceptStatus.Accepted, Assert.Single(await accept.AcceptAsync([new AcceptUnit([request])], Cancel)).Status);
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

    [Fact]
    public async Task A_role_cannot_do_what_is_anothers()
    {
        (string Role, string Sql)[] forbidden =
        [
            ("optiks_update", "INSERT INTO optiks.Epoch (Epoch, Leaves, ValueBytes, RecordHash, Record) VALUES (7, 0, 0, CAST(0x AS binary(32)), 0x)"),
            ("optiks_update", "UPDATE optiks.Head SET Epoch = 7"),
            ("optiks_update", "DELETE FROM optiks.Pending"),
            ("optiks_update", "DELETE FROM optiks.Request"),
            ("optiks_update", "SELECT WrappedSecrets FROM optiks.Period"),
            ("optiks_update", "SELECT [Value] FROM optiks.[Value]"),
            ("optiks_update", "SELECT Opening FROM optiks.[Value]"),
            ("optiks_task", "UPDATE optiks.Acceptance SET LastSeq = 7"),
            ("optiks_task", "INSERT INTO optiks.Request (RequestId, Seq, BodyHash) VALUES (0x, 7, 0x)"),
            ("optiks_task", "INSERT INTO optiks.Pending (Seq, Item, Structure, [Key], [Value]) VALUES (1, 0, 1, 0x01, 0x)"),
            ("optiks_task", "UPDATE optiks.Epoch SET Record = 0x"),
            ("optiks_task", "DELETE FROM optiks.Epoch"),
            ("optiks_task", "DELETE FROM optiks.Leaf"),
            ("optiks_task", "UPDATE optiks.Leaf SET Version = 7"),
            ("optiks_task", "DELETE FROM optiks.Head"),
            ("optiks_query", "SELECT Seq FROM optiks.Pending"),
            ("optiks_query", "SELECT Seq FROM optiks.Request"),
            ("optiks_query", "UPDATE optiks.Head SET Epoch = 7"),
            ("optiks_query", "DELETE FROM optiks.[Value]"),
            ("optiks_query", "UPDATE optiks.Acceptance SET LastSeq = 7"),
        ];
        await using var users = await Users.CreateAsync(ConnectionString);
        foreach ((string role, string sql) in forbidden)
        {
            string user = users.ConnectionString(role);
            Assert.NotNull(await SqlServerFixture.ScalarAsync(user, "SELECT Fence FROM optiks.Head"));
            SqlException e = await Assert.ThrowsAsync<SqlException>(() => SqlServerFixture.ExecuteAsync(user, sql));
            Assert.True(s_permissionDenied.Contains(e.Number) || e.Message.Contains("permission denied", StringComparison.OrdinalIgnoreCase), $"{role}: {sql}: {e.Number} {e.Message}");
        }
    }

    [Fact]
    public async Task A_takeover_ends_the_sessions_of_a_holder_that_is_paused_inside_its_transaction()
    {
        Lease paused = await StartLogAsync();
        Assert.True(await Pipeline.RenewLeaseAsync(paused, TimeSpan.FromMilliseconds(1), Cancel));
        string session = (string)(await SqlServerFixture.ScalarAsync(ConnectionString, "SELECT Session FROM optiks.Head"))!;
        // As if it had stopped between the head's update and the commit: it holds the lock of the head's row.
        string ofHolder = new SqlConnectionStringBuilder(SqlServerSettings.Parse(ConnectionString, "task").ConnectionString) { Pooling = false, ApplicationName = session }.ConnectionString;
        await using var connection = new SqlConnection(ofHolder);
        await connection.OpenAsync(Cancel);
        await using var transaction = (SqlTransaction)await connection.BeginTransactionAsync(Cancel);
        await using (var update = new SqlCommand("UPDATE optiks.Head SET Epoch = 7, PublishedEpoch = 7", connection, transaction))
        {
            Assert.Equal(1, await update.ExecuteNonQueryAsync(Cancel));
        }
        IPipelineStore other = await OpenPipelineAsync();
        Lease second = await LeaseAsync(other, "second");
        Assert.Equal(paused.Fence + 1, second.Fence);
        await Assert.ThrowsAnyAsync<Exception>(() => transaction.CommitAsync(Cancel));
        Assert.Equal(0ul, (await other.ReadHeadAsync(Cancel)).Epoch);
        Assert.False(await Pipeline.RenewLeaseAsync(paused, TimeSpan.FromMinutes(1), Cancel));
    }

    [Fact]
    public async Task A_takeover_without_the_right_to_end_sessions_is_one_all_the_same()
    {
        await using var users = await Users.CreateAsync(ConnectionString);
        var warnings = new List<string>();
        var provider = new SqlServerStorageProvider(warnings.Add);
        await using IPipelineStore first = await provider.OpenPipelineAsync(users.ConnectionString("optiks_task"), Cancel);
        await using IPipelineStore second = await provider.OpenPipelineAsync(users.ConnectionString("optiks_task"), Cancel);
        long fence = 0;
        for (int i = 0; i < 2; i++)
        {
            foreach ((IPipelineStore store, string holder) in new[] { (first, "first"), (second, "second") })
            {
                Lease lease = await LeaseAsync(store, holder);
                Assert.Equal(++fence, lease.Fence);
                Assert.True(await store.RenewLeaseAsync(lease, TimeSpan.FromMilliseconds(1), Cancel));
            }
        }
        // Where such a login sees no sessions there is nothing to say.
        Assert.InRange(warnings.Count, 0, 1);
        Assert.All(warnings, warning => Assert.Contains("could not be ended", warning, StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_group_is_accepted_in_one_round_trip_and_judged_in_two()
    {
        AcceptUnit[] units = [new([await RequestAsync(Item("a"), Item("b"))]), new([await RequestAsync(Item("c"))])];
        using (var log = new CommandLog())
        {
            Assert.All(await Accept.AcceptAsync(units, Cancel), result => Assert.Equal(AcceptStatus.Accepted, result.Status));
            Assert.Equal(["WriteCommand"], log.Sent);
        }
        // One is known, the other is not: nothing is locked between the two.
        AcceptUnit fresh = new([await RequestAsync(Item("d"))]);
        using (var log = new CommandLog())
        {
            Assert.All(await Accept.AcceptAsync([units[0], fresh], Cancel), result => Assert.Equal(AcceptStatus.Accepted, result.Status));
            Assert.Equal(["WriteCommand", "WriteCommand"], log.Sent);
        }
    }

    [Fact]
    public async Task What_the_lease_allows_is_done_in_one_round_trip_each_and_leaves_no_transaction_open()
    {
        Lease lease = await StartLogAsync();
        Assert.Equal(CommitResult.Committed, await CommitPendingAsync(lease, 1));
        (int RoundTrips, Func<Task> Act)[] acts =
        [
            (1, () => Pipeline.RenewLeaseAsync(lease, TimeSpan.FromMinutes(1), Cancel)),
            (1, () => Pipeline.StoreCheckpointAsync(lease, 1, Epoch(1).RecordHash, Octets("checkpoint"), Cancel)),
            (1, () => Pipeline.PublishAsync(lease, 1, Cancel)),
            (1, () => Pipeline.ReleaseLeaseAsync(lease, Cancel)),
            // The first is the look for a predecessor.
            (2, () => LeaseAsync(Pipeline, "second")),
        ];
        foreach ((int roundTrips, Func<Task> act) in acts)
        {
            using var log = new CommandLog();
            await act();
            Assert.Equal(Enumerable.Repeat("WriteCommand", roundTrips), log.Sent);
        }
        HeadRow head = await Pipeline.ReadHeadAsync(Cancel);
        Assert.Equal((1UL, lease.Fence + 1, "second"), (head.PublishedEpoch, head.Fence, head.Holder));
    }

    [Fact]
    public async Task A_lease_is_known_to_be_held_though_row_counts_are_not_reported()
    {
        // As an administrator may have it for the whole server.
        Lease lease = await StartLogAsync();
        Assert.True(await Pipeline.RenewLeaseAsync(lease, TimeSpan.FromMinutes(1), Cancel));
        Assert.False(await Pipeline.RenewLeaseAsync(lease with { Fence = lease.Fence + 1 }, TimeSpan.FromMinutes(1), Cancel));
        Assert.StartsWith("SET NOCOUNT ON;", SqlServerSettings.Parse(ConnectionString, "task").Limits.Preamble.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_list_of_any_length_arrives_as_it_was_sent()
    {
        Lease lease = await StartLogAsync();
        AcceptItem[] items = [.. Enumerable.Range(0, 200).Select(i => Item($"key {i}", new string((char)('a' + (i % 26)), i), i % 3 == 0 ? new ExpectedVersion((ulong)i, (ulong)i + 1) : null))];
        Guid id = await AcceptOneAsync(items);
        PendingRequest read = Assert.Single(await Pipeline.ReadPendingAsync(1000, 1 << 20, Cancel));
        Assert.Equal((id, items.Length), (read.RequestId, read.Items.Count));
        Assert.All(items.Zip(read.Items), pair =>
        {
            Assert.Equal(pair.First.Expected, pair.Second.Expected);
            Assert.True(pair.First.Key.Span.SequenceEqual(pair.Second.Key.Span) && pair.First.Value.Span.SequenceEqual(pair.Second.Value.Span));
        });
        await PublishPendingAsync(lease, 1);
        Assert.Equal(0, await Pipeline.CountPendingAsync(Cancel));
    }

    private string With(Action<SqlConnectionStringBuilder> change)
    {
        var builder = new SqlConnectionStringBuilder(ConnectionString);
        change(builder);
        return builder.ConnectionString;
    }

    // A login and a user for each role, which belong to the server: removed afterwards.
    private sealed class Users : IAsyncDisposable
    {
        private static readonly string[] s_roles = ["optiks_update", "optiks_task", "optiks_query"];

        private readonly string _owner;
        private readonly string _database;
        private readonly string _password = "Aa1!" + System.Security.Cryptography.RandomNumberGenerator.GetHexString(32);

        private Users(string owner)
        {
            _owner = owner;
            _database = new SqlConnectionStringBuilder(owner).InitialCatalog;
        }

        public static async Task<Users> CreateAsync(string owner)
        {
            var users = new Users(owner);
            foreach (string role in s_roles)
            {
                string name = users.Name(role);
                _ = await SqlServerFixture.ExecuteAsync(owner, $"CREATE LOGIN {name} WITH PASSWORD = '{users._password}'");
                _ = await SqlServerFixture.ExecuteAsync(owner, $"CREATE USER {name} FOR LOGIN {name}");
                _ = await SqlServerFixture.ExecuteAsync(owner, $"ALTER ROLE {role} ADD MEMBER {name}");
            }
            return users;
        }

        public string ConnectionString(string role) =>
            new SqlConnectionStringBuilder(_owner) { IntegratedSecurity = false, UserID = Name(role), Password = _password }.ConnectionString;

        public async ValueTask DisposeAsync()
        {
            SqlConnection.ClearAllPools();
            foreach (string role in s_roles)
            {
                _ = await SqlServerFixture.ExecuteAsync(_owner, $"DROP USER {Name(role)}");
                _ = await SqlServerFixture.ExecuteAsync(_owner, $"DROP LOGIN {Name(role)}");
            }
        }

        private string Name(string role) => string.Create(CultureInfo.InvariantCulture, $"{role}_{_database}");
    }
}
