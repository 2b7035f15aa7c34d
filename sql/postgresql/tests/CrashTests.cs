using Optiks.Storage.Conformance;

namespace Optiks.Storage.PostgreSql.Tests;

/// <summary>Defines the collection of the tests that kill the server. No other test runs at the same time, because all tests use the same
/// server.</summary>
[CollectionDefinition(nameof(ServerKills), DisableParallelization = true)]
public sealed class ServerKills;

[Collection(nameof(ServerKills))]
[Trait("Level", "Deep")]
public sealed class CrashTests() : StorageConformance(new PostgreSqlFixture())
{
    [Fact]
    public async Task What_was_answered_survives_kills_of_the_server_and_nothing_is_doubled()
    {
        const int Kills = 3;
        Lease lease = await StartLogAsync();
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        int failures = 0;
        var accepted = new List<Guid>();
        Task accepting = Task.Run(
            async () =>
            {
                for (int i = 0; !stop.IsCancellationRequested; i++)
                {
                    AcceptRequest request = Request(
                        Guid.CreateVersion7(TimeProvider.System.GetUtcNow()), Item($"key {i}"), Item($"other {i}"));
                    while (true)
                    {
                        try
                        {
                            Assert.Equal(AcceptStatus.Accepted, (await TryAcceptAsync(request)).Status);
                            accepted.Add(request.RequestId);
                            break;
                        }
                        catch (StorageUnavailableException)
                        {
                            _ = Interlocked.Increment(ref failures);
                            await Task.Delay(20, Cancel);
                        }
                    }
                }
            },
            Cancel);
        ulong epoch = 0;
        Task committing = Task.Run(
            async () =>
            {
                while (!stop.IsCancellationRequested)
                {
                    epoch = await AdvanceAsync(lease, epoch + 1);
                }
            },
            Cancel);
        for (int i = 0; i < Kills; i++)
        {
            await Task.Delay(700, Cancel);
            await Cluster.Current.KillAsync();
            await Task.Delay(100, Cancel);
            await Cluster.Current.StartAsync();
        }
        await Task.Delay(500, Cancel);
        await stop.CancelAsync();
        await accepting;
        await committing;
        while (await Pipeline.CountPendingAsync(Cancel) > 0)
        {
            epoch = await AdvanceAsync(lease, epoch + 1);
        }
        Assert.True(failures > 0, "No accept noticed a kill: the test did not test.");
        Assert.True(epoch > Kills, "Too few epochs.");
        var seen = new List<LeafOrigin>();
        await foreach (LeafBatch batch in Pipeline.ReadLeavesAsync(0, epoch, 10_000, LeafColumns.All, Cancel))
        {
            seen.AddRange(batch.Origins.ToArray());
        }
        Assert.Equal(seen.Count, seen.Distinct().Count());
        Assert.Equal(
            accepted.SelectMany(id => new[] { (id, 0), (id, 1) }).Order(),
            seen.Select(origin => (origin.RequestId, origin.Item)).Order());
    }

    [Fact]
    public async Task A_server_without_fsync_is_refused()
    {
        await Cluster.Current.StopAsync();
        await Cluster.Current.StartAsync("-c fsync=off");
        try
        {
            StorageMisconfiguredException e =
                await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Fixture.Provider.OpenPipelineAsync(ConnectionString, Cancel));
            Assert.Contains("fsync", e.Message, StringComparison.Ordinal);
        }
        finally
        {
            await Cluster.Current.StopAsync();
            await Cluster.Current.StartAsync();
        }
        await (await Fixture.Provider.OpenPipelineAsync(ConnectionString, Cancel)).DisposeAsync();
    }

    [Fact]
    public async Task A_commit_whose_answer_is_lost_is_looked_up_and_found()
    {
        Lease lease = await StartLogAsync();
        _ = await AcceptOneAsync(Item("a"));
        EpochCommit commit = Commit(1, await Pipeline.ReadPendingAsync(10, 1 << 20, Cancel));
        Assert.Equal(CommitResult.Committed, await LoseAnswerAsync(() => Pipeline.CommitEpochAsync(lease, commit, Cancel)));
        await SignAndPublishAsync(lease, 1);
        Assert.Equal(0, await Pipeline.CountPendingAsync(Cancel));
    }

    [Fact]
    public async Task Copies_whose_answer_is_lost_are_looked_up_and_found()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "1"), Item("b", "2"));
        _ = await Pipeline.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        CopyBatch copies = await CopiesAsync(1, 0, ("a", 1), ("b", 1));
        Assert.Equal(StageResult.Staged, await LoseAnswerAsync(() => Pipeline.StageCopiesAsync(lease, copies, Cancel)));
        Assert.Equal(2, await Pipeline.CountCopiesAsync(1, Cancel));
        // If the update-task repeats the call without reading the result first, the repeated call adds nothing.
        Assert.Equal(StageResult.Fenced, await Pipeline.StageCopiesAsync(lease, copies, Cancel));
        Assert.Equal(2, await Pipeline.CountCopiesAsync(1, Cancel));
    }

    [Fact]
    public async Task Secrets_that_are_destroyed_when_the_answer_is_lost_are_gone_and_the_rest_follows()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "1"));
        await PublishAsync(lease, 2, Item("a", "2"), Item("b", "3"));
        _ = await Pipeline.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        Assert.Equal(StageResult.Staged, await Pipeline.StageCopiesAsync(lease, await CopiesAsync(1, 0, ("a", 2), ("b", 2)), Cancel));
        EpochCommit switching = Commit(3, []) with { Period = 1, Switch = new PeriodSwitch(1, 2) };
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, switching, Cancel));
        await SignAndPublishAsync(lease, 3);
        await Assert.ThrowsAsync<StorageUnavailableException>(() => LoseAnswerAsync(async () =>
        {
            await Pipeline.BeginDestroyingAsync(lease, 0, retainedPeriods: 1, Cancel);
            return true;
        }));
        Assert.Equal(PeriodState.Destroying, (await Pipeline.ReadPeriodsAsync(Cancel))[0].State);
        await Pipeline.BeginDestroyingAsync(lease, 0, retainedPeriods: 1, Cancel);

        Assert.False(await Pipeline.DestroyAsync(lease, 0, 1, Cancel));
        Assert.Equal([false, true, true], (await FindAsync((1, "a"), (2, "a"), (2, "b"))).Select(place => place!.HasValue));
        Assert.True(await Pipeline.DestroyAsync(lease, 0, 1, Cancel));
        Assert.Equal(PeriodState.Destroyed, (await Pipeline.ReadPeriodsAsync(Cancel))[0].State);
        Assert.True(await Pipeline.DestroyAsync(lease, 0, 1, Cancel));
        Assert.Equal([false, false, false], (await FindAsync((1, "a"), (2, "a"), (2, "b"))).Select(place => place!.HasValue));
    }

    // Runs a write whose commit is durable but whose answer is lost. The server has a standby that never answers, so the server makes the
    // commit durable and then waits for the standby. During this wait, the method ends the session.
    private static async Task<T> LoseAnswerAsync<T>(Func<Task<T>> write)
    {
        await Cluster.Current.SetStandbyAsync("nobody");
        try
        {
            Task<T> writing = write();
            await Cluster.Current.WaitingAsync("pg_terminate_backend", "task");
            // The query that looks up the result would wait for the standby as well, so this code removes the setting.
            await Cluster.Current.SetStandbyAsync("");
            return await writing;
        }
        finally
        {
            await Cluster.Current.SetStandbyAsync("");
        }
    }

    // Commits an epoch as the update-task does. If the result is unknown, the method looks it up before it writes again.
    private async Task<ulong> AdvanceAsync(Lease lease, ulong epoch)
    {
        while (true)
        {
            try
            {
                HeadRow head = await Pipeline.ReadHeadAsync(Cancel);
                if (head.Epoch < epoch)
                {
                    CommitResult result = await CommitPendingAsync(lease, epoch);
                    Assert.NotEqual(CommitResult.Fenced, result);
                    continue;
                }
                if (head.PublishedEpoch < epoch)
                {
                    await SignAndPublishAsync(lease, epoch);
                }
                return epoch;
            }
            catch (StorageUnavailableException)
            {
                await Task.Delay(20, Cancel);
            }
        }
    }
}
