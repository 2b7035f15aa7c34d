using Microsoft.Data.SqlClient;
using Optiks.Storage.Conformance;

namespace Optiks.Storage.SqlServer.Tests;

/// <summary>Runs the tests for engines with a server, and tests SQL Server's settings and round trips.</summary>
public sealed class SqlServerServerTests() : ServerConformance(new SqlServerFixture())
{
    [Theory]
    [InlineData("READ_COMMITTED_SNAPSHOT OFF", "READ_COMMITTED_SNAPSHOT ON")]
    [InlineData("DELAYED_DURABILITY = FORCED", "DELAYED_DURABILITY = DISABLED")]
    public async Task A_setting_that_loses_commits_or_lets_readers_wait_is_refused(string bad, string good)
    {
        Assert.SkipWhen(await SqlServerFixture.IsBabelfishAsync(ConnectionString), "Babelfish has no such settings.");
        string database = new SqlConnectionStringBuilder(ConnectionString).InitialCatalog;
        _ = await SqlServerFixture.ExecuteAsync(ConnectionString, $"ALTER DATABASE {database} SET {bad} WITH ROLLBACK IMMEDIATE");
        StorageMisconfiguredException e =
            await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Fixture.Provider.OpenAcceptAsync(ConnectionString, Cancel));
        Assert.Contains(bad.Split(' ')[0], e.Message, StringComparison.Ordinal);
        _ = await SqlServerFixture.ExecuteAsync(ConnectionString, $"ALTER DATABASE {database} SET {good} WITH ROLLBACK IMMEDIATE");
        await (await Fixture.Provider.OpenAcceptAsync(ConnectionString, Cancel)).DisposeAsync();
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
            // This server has a different number for each kind of login error, so the rest of the test does not apply to it.
            return;
        }
        string stranger =
            With(builder => (builder.IntegratedSecurity, builder.UserID, builder.Password) = (false, "optiks_stranger", "wrong-Passw0rd"));
        await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Fixture.Provider.OpenAcceptAsync(stranger, Cancel));
    }

    [Fact]
    public async Task A_takeover_without_the_right_to_end_sessions_is_one_all_the_same()
    {
        string task = await Server.CreateUserAsync(ConnectionString, "optiks_task");
        var warnings = new List<string>();
        var provider = new SqlServerStorageProvider(warnings.Add);
        await using PipelineStore first = await provider.OpenPipelineAsync(task, Cancel);
        await using PipelineStore second = await provider.OpenPipelineAsync(task, Cancel);
        long fence = 0;
        for (int i = 0; i < 2; i++)
        {
            foreach ((PipelineStore store, string holder) in new[] { (first, "first"), (second, "second") })
            {
                Lease lease = await LeaseAsync(store, holder);
                Assert.Equal(++fence, lease.Fence);
                Assert.True(await store.RenewLeaseAsync(lease, TimeSpan.FromMilliseconds(1), Cancel));
            }
        }
        // On a server on which a login without the right sees no sessions at all, the driver has nothing to report.
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
        // The store knows one of the two requests already, so it needs two round trips. It holds no lock between them.
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
            // This call needs two round trips: the first one looks for sessions of the lease's previous holder.
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
        // The driver's results must not depend on NOCOUNT, which an administrator may have set for the whole server.
        Lease lease = await StartLogAsync();
        Assert.True(await Pipeline.RenewLeaseAsync(lease, TimeSpan.FromMinutes(1), Cancel));
        Assert.False(await Pipeline.RenewLeaseAsync(lease with { Fence = lease.Fence + 1 }, TimeSpan.FromMinutes(1), Cancel));
        Assert.StartsWith("SET NOCOUNT ON;", SqlServerSettings.Parse(ConnectionString, "task").Limits.Preamble.Text,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_list_of_any_length_arrives_as_it_was_sent()
    {
        Lease lease = await StartLogAsync();
        AcceptItem[] items = [.. Enumerable.Range(0, 200)
            .Select(
                i => Item($"key {i}", new string((char)('a' + (i % 26)), i),
                    i % 3 == 0 ? new ExpectedVersion((ulong)i, (ulong)i + 1) : null))];
        Guid id = await AcceptOneAsync(items);
        PendingRequest read = Assert.Single(await Pipeline.ReadPendingAsync(1000, 1 << 20, Cancel));
        Assert.Equal((id, items.Length), (read.RequestId, read.Items.Count));
        Assert.All(items.Zip(read.Items), pair =>
        {
            Assert.Equal(pair.First.Expected, pair.Second.Expected);
            Assert.True(
                pair.First.Key.Span.SequenceEqual(pair.Second.Key.Span) && pair.First.Value.Span.SequenceEqual(pair.Second.Value.Span));
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
}
