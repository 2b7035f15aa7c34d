using Optiks.Storage.Conformance;

namespace Optiks.Storage.PostgreSql.Tests;

/// <summary>
/// Tests that the driver does not report a commit as done before the synchronous standby has confirmed it. If a time limit or a
/// cancellation ends the server's wait for the standby, the server reports the commit as done, with a warning. Such a commit is visible on
/// this server, but a failover loses it. The tests' settings apply to the whole server, so no other test runs at the same time.
/// </summary>
[Collection(nameof(ServerKills))]
public sealed class StandbyTests() : StorageConformance(new PostgreSqlFixture())
{
    [Theory]
    [InlineData(1)]
    [InlineData(300)]
    public async Task Updates_that_no_standby_has_are_not_accepted_and_neither_is_their_repetition(int updates)
    {
        AcceptUnit[] units = await UnitsAsync(updates, i => [Item($"key {i}")]);
        await Cluster.Current.SetStandbyAsync("nobody");
        try
        {
            for (int i = 0; i < 2; i++)
            {
                Task<IReadOnlyList<AcceptResult>> accepting = Accept.AcceptAsync(units, Cancel);
                await Cluster.Current.WaitingAsync("pg_cancel_backend", "update");
                StorageUnavailableException e = await Assert.ThrowsAsync<StorageUnavailableException>(() => accepting);
                Assert.Contains("no standby confirmed", e.Message, StringComparison.Ordinal);
                // Although the call failed, the request is in the database, and every session sees it.
                Assert.Equal(RequestState.Pending, await StateAsync(units[0].Requests[0].RequestId));
            }
        }
        finally
        {
            await Cluster.Current.SetStandbyAsync("");
        }
        Assert.All(await Accept.AcceptAsync(units, Cancel), accepted => Assert.Equal(AcceptStatus.Accepted, accepted.Status));
        Assert.Equal(updates, await Pipeline.CountPendingAsync(Cancel));
    }

    [Fact]
    public async Task An_epoch_that_no_standby_has_is_committed_once_one_has_it()
    {
        Lease lease = await StartLogAsync();
        _ = await AcceptOneAsync(Item("a"));
        EpochCommit commit = Commit(1, await Pipeline.ReadPendingAsync(10, 1 << 20, Cancel));
        Task<CommitResult> committing;
        await Cluster.Current.SetStandbyAsync("nobody");
        try
        {
            committing = Pipeline.CommitEpochAsync(lease, commit, Cancel);
            await Cluster.Current.WaitingAsync("pg_cancel_backend", "task");
            await Task.Delay(200, Cancel);
            // The update-task looks up the result of the commit, and that query waits for the standby as well.
            await Cluster.Current.WaitingAsync("abs", "task");
            Assert.False(committing.IsCompleted);
        }
        finally
        {
            await Cluster.Current.SetStandbyAsync("");
        }
        Assert.Equal(CommitResult.Committed, await committing);
        await SignAndPublishAsync(lease, 1);
        Assert.Equal(0, await Pipeline.CountPendingAsync(Cancel));
    }

    [Fact]
    public async Task Who_writes_takes_no_standby_for_the_database_and_who_reads_does()
    {
        await StartLogAsync();
        await Cluster.Current.StartAsStandbyAsync();
        try
        {
            StorageUnavailableException e =
                await Assert.ThrowsAsync<StorageUnavailableException>(() => Fixture.Provider.OpenAcceptAsync(ConnectionString, Cancel));
            Assert.Contains("is a standby", e.Message, StringComparison.Ordinal);
            await Assert.ThrowsAsync<StorageUnavailableException>(() => Fixture.Provider.OpenPipelineAsync(ConnectionString, Cancel));
            await using IFollowStore follow = await Fixture.Provider.OpenFollowAsync(ConnectionString, Cancel);
            Assert.Equal(0UL, (await follow.ReadHeadAsync(Cancel)).PublishedEpoch);
        }
        finally
        {
            await Cluster.Current.StopAsync();
            await Cluster.Current.StartAsync();
        }
        _ = await RepeatAsync(() => AcceptOneAsync(Item("a")));
    }
}
