using Optiks.Native;

namespace Optiks.Storage.Conformance;

/// <summary>Tests what the query-service reads from a store.</summary>
public abstract class FollowConformance : StorageConformance
{
    protected FollowConformance(IStorageFixture fixture)
        : base(fixture)
    {
    }

    [Fact]
    public async Task A_follower_sees_published_epochs_only()
    {
        IFollowStore follow = await OpenFollowAsync();
        Assert.Empty(await follow.ReadEpochsAsync(0, 100, Cancel));
        Lease lease = await StartLogAsync();
        _ = await AcceptOneAsync(Item("a"));
        Assert.Equal(CommitResult.Committed, await CommitPendingAsync(lease, 1));
        Assert.Single(await follow.ReadEpochsAsync(0, 100, Cancel));
        Assert.Empty(await LeavesAsync(follow, 0, 100, 10));
        Assert.Equal(2, (await Pipeline.ReadEpochsAsync(0, 100, Cancel)).Count);
        Assert.Single(await LeavesAsync(Pipeline, 0, 100, 10));

        await SignAndPublishAsync(lease, 1);
        EpochRow row = (await follow.ReadEpochsAsync(0, 100, Cancel))[1];
        Assert.Equal(1ul, row.Epoch);
        Assert.Equal(Epoch(1).Record.ToArray(), row.Record.ToArray());
        Assert.Equal(Epoch(1).RecordHash.ToArray(), row.RecordHash.ToArray());
        Assert.Equal(Octets("checkpoint 1"), row.Checkpoint.ToArray());
        Assert.Single(await LeavesAsync(follow, 0, 100, 10));
        Assert.Single(await follow.ReadPeriodsAsync(Cancel));
        Assert.Empty(await follow.ReadEpochsAsync(2, 100, Cancel));
    }

    [Fact]
    public async Task Batches_are_whole_epochs_and_pass_over_empty_ones()
    {
        Lease lease = await StartLogAsync();
        int[] sizes = [2, 0, 3, 1, 0, 4];
        var commits = new List<EpochCommit>();
        for (int i = 0; i < sizes.Length; i++)
        {
            for (int j = 0; j < sizes[i]; j++)
            {
                _ = await AcceptOneAsync(Item($"key {j}", $"value {i} {j}"));
            }
            commits.Add(Commit((ulong)i + 1, await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel)));
            Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, commits[^1], Cancel));
            await SignAndPublishAsync(lease, (ulong)i + 1);
        }
        IFollowStore follow = await OpenFollowAsync();
        Assert.Equal([2, 3, 1, 4], Sizes(await LeavesAsync(follow, 0, 6, 1)));
        Assert.Equal([2, 4, 4], Sizes(await LeavesAsync(follow, 1, 6, 4)));
        Assert.Equal([10], Sizes(await LeavesAsync(follow, 0, ulong.MaxValue, 100)));
        Assert.Equal([3], Sizes(await LeavesAsync(follow, 2, 3, 100)));
        Assert.Empty(await LeavesAsync(follow, 2, 2, 100));
        Assert.Empty(await LeavesAsync(follow, 7, 9, 100));
        List<LeafBatch> single = await LeavesAsync(follow, 0, 6, 1);
        foreach ((EpochCommit commit, LeafBatch batch) in commits.Where(commit => !commit.Leaves.Rows.IsEmpty).Zip(single))
        {
            AssertSameLeaves(commit.Leaves, batch);
        }
    }

    [Fact]
    public async Task Columns_that_are_not_asked_for_are_not_read()
    {
        Lease lease = await StartLogAsync();
        _ = await AcceptOneAsync(Item("a", "of a"));
        _ = await AcceptOneAsync(Item("b", "of b"));
        EpochCommit commit = Commit(1, await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel));
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, commit, Cancel));
        LeafRow[] expected = commit.Leaves.Rows.ToArray();

        LeafBatch values = Assert.Single(await LeavesAsync(Pipeline, 1, 1, 10, LeafColumns.Values));
        AssertSameLeaves(commit.Leaves,
            values with { Keys = commit.Leaves.Keys, KeyEnds = commit.Leaves.KeyEnds, Origins = commit.Leaves.Origins });
        LeafBatch trees = Assert.Single(await LeavesAsync(Pipeline, 1, 1, 10, LeafColumns.Trees));
        Assert.All(trees.Rows.ToArray().Zip(expected), pair =>
        {
            Assert.Equal((pair.Second.Epoch, pair.Second.Structure, pair.Second.Version),
                (pair.First.Epoch, pair.First.Structure, pair.First.Version));
            Assert.Equal(pair.Second.Label, pair.First.Label);
            Assert.Equal(pair.Second.Commitment, pair.First.Commitment);
            Assert.Equal(pair.Second.Tag, pair.First.Tag);
            Assert.Equal(LeafRow.NoValue, pair.First.ValueOffset);
            Assert.Equal(new byte[16], pair.First.Opening);
        });
        Assert.Equal(expected.Length, trees.Rows.Length);
        Assert.True(trees.Values.IsEmpty);
        foreach (LeafBatch batch in (LeafBatch[])[values, trees])
        {
            Assert.True(batch.Keys.IsEmpty && batch.KeyEnds.IsEmpty && batch.Origins.IsEmpty);
        }
    }

    [Trait("Level", "Deep")]
    [Fact]
    public async Task An_epoch_of_twenty_thousand_leaves_is_one_transaction()
    {
        const int Count = 20_000;
        Lease lease = await StartLogAsync();
        var units = new List<AcceptUnit>();
        for (int i = 0; i < Count; i++)
        {
            units.Add(new AcceptUnit([await RequestAsync(Item($"key {i}", $"value {i}"))]));
        }
        Assert.All(await Accept.AcceptAsync(units, Cancel), result => Assert.Equal(AcceptStatus.Accepted, result.Status));
        IReadOnlyList<PendingRequest> pending = await Pipeline.ReadPendingAsync(Count, 64 << 20, Cancel);
        Assert.Equal(Count, pending.Count);
        // Every second request belongs to the epoch that is not committed yet, so both the skipped requests and the taken requests fill
        // many pages.
        var underway = new EpochUpdates([.. pending.Where((_, i) => i % 2 == 0)], Count / 2, More: true);
        EpochUpdates rest = await Pipeline.ReadPendingAsync(Count, 64 << 20, underway, Cancel);
        Assert.Equal(pending.Where((_, i) => i % 2 == 1).Select(request => request.RequestId),
            rest.Requests.Select(request => request.RequestId));
        EpochCommit commit = Commit(1, pending);
        // A request that arrives during the commit waits for the transaction and does not fail.
        Task<CommitResult> committing = Pipeline.CommitEpochAsync(lease, commit, Cancel);
        Guid between = await AcceptOneAsync(Item("between"));
        Assert.Equal(CommitResult.Committed, await committing);
        await SignAndPublishAsync(lease, 1);
        Assert.Equal(RequestState.Pending, await StateAsync(between));
        Assert.Equal(1, await Pipeline.CountPendingAsync(Cancel));
        AssertSameLeaves(commit.Leaves, Assert.Single(await LeavesAsync(await OpenFollowAsync(), 1, 1, 1000)));
    }

    [Fact]
    public async Task A_follower_waits_for_the_next_epoch()
    {
        IFollowStore follow = await OpenFollowAsync();
        Task<HeadRow> first = follow.WaitForPublishedAsync(null, TimeSpan.FromSeconds(30), Cancel);
        Lease lease = await StartLogAsync();
        Assert.Equal(0ul, (await first).PublishedEpoch);
        Task<HeadRow> second = follow.WaitForPublishedAsync(0, TimeSpan.FromSeconds(30), Cancel);
        Assert.Equal(CommitResult.Committed, await CommitPendingAsync(lease, 1));
        await Task.Delay(100, Cancel);
        Assert.False(second.IsCompleted);
        await SignAndPublishAsync(lease, 1);
        Assert.Equal(1ul, (await second).PublishedEpoch);
        using var stop = new CancellationTokenSource();
        Task<HeadRow> third = follow.WaitForPublishedAsync(1, TimeSpan.FromSeconds(30), stop.Token);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => third);
    }

    private static IEnumerable<int> Sizes(List<LeafBatch> batches) => batches.Select(batch => batch.Rows.Length);

    private static async Task<List<LeafBatch>> LeavesAsync(
        IFollowStore store, ulong first, ulong last, int batchRows, LeafColumns columns = LeafColumns.All)
    {
        var batches = new List<LeafBatch>();
        await foreach (LeafBatch batch in store.ReadLeavesAsync(first, last, batchRows, columns, Cancel))
        {
            batches.Add(batch);
        }
        return batches;
    }
}
