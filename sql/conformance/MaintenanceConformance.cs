using Optiks.Native;

namespace Optiks.Storage.Conformance;

/// <summary>Tests what the operator's tool reads, restores and imports.</summary>
public abstract class MaintenanceConformance : StorageConformance
{
    protected MaintenanceConformance(IStorageFixture fixture)
        : base(fixture)
    {
    }

    [Fact]
    public async Task A_snapshot_shows_one_moment_of_everything()
    {
        Lease lease = await StartLogAsync();
        Guid published = await AcceptOneAsync(Item("a", "1"), Item("b", ""));
        Guid refused = await AcceptOneAsync(Item("c"));
        var refusal = new Refusal(RefusalReason.ExpectedVersion, 0, new ExpectedVersion(0, 3));
        EpochCommit commit = Commit(
            1, await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel), request => request.RequestId == refused ? refusal : null);
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, commit, Cancel));
        await SignAndPublishAsync(lease, 1);
        AcceptRequest waiting = await RequestAsync(Item("d", "2", new ExpectedVersion(1, 7)));
        _ = await TryAcceptAsync(waiting);

        await using MaintenanceStore store = await Fixture.Provider.OpenMaintenanceAsync(ConnectionString, Cancel);
        await using ConsistentRead read = await store.OpenConsistentReadAsync(Cancel);
        // The test publishes this epoch after the consistent read began, so the read must not see the epoch.
        await PublishPendingAsync(lease, 2);

        HeadRow head = await read.ReadHeadAsync(Cancel);
        Assert.Equal((1UL, 1UL), (head.Epoch, head.PublishedEpoch));
        Assert.Equal("wrapped"u8.ToArray(), Assert.Single(await read.ReadPeriodsAsync(Cancel)).WrappedSecrets.ToArray());
        IReadOnlyList<StoredEpoch> epochs = await read.ReadEpochsAsync(0, 10, Cancel);
        Assert.Equal([(0UL, 0L, 0L), (1UL, 2L, 1L)], epochs.Select(epoch => (epoch.Row.Epoch, epoch.Leaves, epoch.ValueBytes)));
        Assert.Equal(Octets("checkpoint 1"), epochs[1].Row.Checkpoint.ToArray());
        Assert.Equal(1UL, Assert.Single(await read.ReadEpochsAsync(1, 1, Cancel)).Row.Epoch);

        IReadOnlyList<StoredLeaf> leaves = await read.ReadLeavesAsync(0, 0, 10, Cancel);
        Assert.Equal([(1UL, 0), (1UL, 1)], leaves.Select(leaf => (leaf.Epoch, leaf.Ordinal)));
        Assert.Equal((1UL, 1), Assert.Single((await read.ReadLeavesAsync(1, 1, 10, Cancel)).Select(leaf => (leaf.Epoch, leaf.Ordinal))));
        Assert.Equal((1UL, 0), Assert.Single((await read.ReadLeavesAsync(1, 0, 1, Cancel)).Select(leaf => (leaf.Epoch, leaf.Ordinal))));
        Assert.Equal(commit.Leaves.Origins.ToArray(), leaves.Select(leaf => leaf.Origin));
        Assert.Equal(commit.Leaves.Rows.ToArray().Select(row => row.Label.ToArray()), leaves.Select(leaf => leaf.Label.ToArray()));
        Assert.Equal(
            ["a", "b"], leaves.Select(leaf => System.Text.Encoding.UTF8.GetString(leaf.Value!.Key.Span)).Order(StringComparer.Ordinal));
        Assert.Equal(2, await read.CountValuesAsync(Cancel));

        IReadOnlyList<StoredRequest> requests = await read.ReadRequestsAsync(0, 10, Cancel);
        Assert.Equal([published, refused, waiting.RequestId], requests.Select(request => request.RequestId));
        Assert.Equal(waiting.BodyHash.ToArray(), requests[2].BodyHash.ToArray());
        Assert.Equal(refused, Assert.Single(await read.ReadRequestsAsync(requests[0].Sequence, 1, Cancel)).RequestId);
        StoredPending pending = Assert.Single(await read.ReadPendingAsync(0, long.MaxValue, Cancel));
        Assert.Equal((requests[2].Sequence, 0, new ExpectedVersion(1, 7)),
            (pending.Sequence, pending.Item, pending.Update.Expected!.Value));
        Assert.Empty(await read.ReadPendingAsync(0, requests[1].Sequence, Cancel));
        IReadOnlyList<StoredOutcome> outcomes = await read.ReadOutcomesAsync(0, long.MaxValue, Cancel);
        Assert.Equal([new LeafOrigin(published, 0), new LeafOrigin(published, 1), null], outcomes.Select(outcome => outcome.Leaf));
        Assert.Equal(refusal, outcomes[2].Result.Refusal);
        Assert.Equal(
            refusal, Assert.Single(await read.ReadOutcomesAsync(requests[0].Sequence, requests[1].Sequence, Cancel)).Result.Refusal);
    }

    [Fact]
    public async Task An_import_is_all_or_nothing_and_only_into_an_empty_database()
    {
        Lease lease = await StartLogAsync();
        Guid published = await AcceptOneAsync(Item("a", "1"));
        await PublishPendingAsync(lease, 1);
        Guid waiting = await AcceptOneAsync(Item("a", "2"));
        string other = await Fixture.CreateMigratedAsync(Cancel);
        try
        {
            await using MaintenanceStore source = await Fixture.Provider.OpenMaintenanceAsync(ConnectionString, Cancel);
            await Assert.ThrowsAsync<StorageMisconfiguredException>(() => source.BeginImportAsync(Cancel));
            await using (MaintenanceStore target = await Fixture.Provider.OpenMaintenanceAsync(other, Cancel))
            {
                await CopyAsync(source, target, commit: false);
                Assert.Null((await target.ReadHeadAsync(Cancel)).Epoch);
                Assert.Empty(await target.ReadPeriodsAsync(Cancel));
                await CopyAsync(source, target, commit: true);
                await Assert.ThrowsAsync<StorageMisconfiguredException>(() => target.BeginImportAsync(Cancel));
                HeadRow head = await target.ReadHeadAsync(Cancel);
                Assert.Equal((1UL, 1UL, lease.Fence, ""), (head.Epoch, head.PublishedEpoch, head.Fence, head.Holder));
                Assert.Equal(Epoch(1).RecordHash.ToArray(), head.RecordHash.ToArray());
            }
            await using IAcceptStore accept = await Fixture.Provider.OpenAcceptAsync(other, Cancel);
            Assert.Equal(RequestState.Published, (await accept.ReadStatusAsync(published, Cancel))!.State);
            Assert.Equal(RequestState.Pending, (await accept.ReadStatusAsync(waiting, Cancel))!.State);
            // The sequence numbers that the store assigns after the import are above the imported ones.
            AcceptRequest later = await RequestAsync(Item("b"));
            Assert.Equal(AcceptStatus.Accepted, Assert.Single(await accept.AcceptAsync([new AcceptUnit([later])], Cancel)).Status);
            await using PipelineStore pipeline = await Fixture.Provider.OpenPipelineAsync(other, Cancel);
            Assert.Equal([waiting, later.RequestId],
                (await pipeline.ReadPendingAsync(10, 1 << 20, Cancel)).Select(request => request.RequestId));
        }
        finally
        {
            await Fixture.DropAsync(other);
        }
    }

    [Fact]
    public async Task A_restored_epoch_finds_its_requests_by_id()
    {
        Lease lease = await StartLogAsync();
        // The database accepted this request before the older copy was made. It decided the request afterwards, so only the newer copy has
        // the result.
        Guid first = await AcceptOneAsync(Item("a", "1"), Item("b", "2"));
        Guid kept = await AcceptOneAsync(Item("c", "3"));
        PendingRequest pending = (await Pipeline.ReadPendingAsync(10, 1 << 20, Cancel))[0];
        Assert.Equal(first, pending.RequestId);
        // The newer copy accepted this request after the older copy was made. Its sequence number there belongs to another request in the
        // older copy.
        AcceptRequest lost = await RequestAsync(Item("d", "4"), Item("e", "5"));
        var unknown = new PendingRequest(lost.RequestId, pending.Sequence + 1, lost.BodyHash, lost.Items);
        EpochCommit commit = Commit(1, [pending, unknown]);

        await using MaintenanceStore store = await Fixture.Provider.OpenMaintenanceAsync(ConnectionString, Cancel);
        EpochCommit other =
            commit with
            {
                Outcomes =
                [.. commit.Outcomes.Select(outcome => outcome.RequestId == first ? outcome with { BodyHash = new byte[32] } : outcome)]
            };
        await Assert.ThrowsAsync<StorageCorruptException>(() => store.RestoreEpochAsync(lease, other, Cancel));
        Assert.Equal(CommitResult.Fenced, await store.RestoreEpochAsync(lease with { Fence = lease.Fence + 1 }, commit, Cancel));
        Assert.Equal(CommitResult.Fenced, await store.RestoreEpochAsync(lease, commit with { PreviousHash = new byte[32] }, Cancel));
        Assert.Equal((0UL, 3L), ((await store.ReadHeadAsync(Cancel)).Epoch, await store.CountPendingAsync(Cancel)));

        Assert.Equal(CommitResult.Committed, await store.RestoreEpochAsync(lease, commit, Cancel));
        // The store refuses the same epoch again, because it is no longer the next epoch.
        Assert.Equal(CommitResult.Fenced, await store.RestoreEpochAsync(lease, commit, Cancel));
        await SignAndPublishAsync(lease, 1);
        Assert.Equal([RequestState.Published, RequestState.Published, RequestState.Pending],
            [await StateAsync(first), await StateAsync(lost.RequestId), await StateAsync(kept)]);
        Assert.Equal(kept, Assert.Single(await Pipeline.ReadPendingAsync(10, 1 << 20, Cancel)).RequestId);
        Assert.Equal(
            ["d", "e"],
            (await Accept.ReadStatusAsync(lost.RequestId, Cancel))!.Items.Select(
                item => System.Text.Encoding.UTF8.GetString(item.Key.Span)));
        // The store recognizes the restored request when the client sends it again, and refuses other content under the same id.
        Assert.Equal(AcceptStatus.Accepted, (await TryAcceptAsync(lost)).Status);
        Assert.Equal(AcceptStatus.RequestIdReused, (await TryAcceptAsync(Request(lost.RequestId, Item("d", "other")))).Status);
        await foreach (LeafBatch batch in store.ReadLeavesAsync(1, 1, 100, LeafColumns.All, Cancel))
        {
            AssertSameLeaves(commit.Leaves, batch);
        }
        await PublishPendingAsync(lease, 2);
        Assert.Equal(RequestState.Published, await StateAsync(kept));
    }

    [Fact]
    public async Task A_restored_epoch_may_lack_erased_values()
    {
        Lease lease = await StartLogAsync();
        AcceptRequest request = await RequestAsync(Item("a", "1"));
        EpochCommit commit = Commit(1, [new PendingRequest(request.RequestId, 1, request.BodyHash, request.Items)]);
        LeafRow row = commit.Leaves.Rows.Span[0];
        row.ValueOffset = LeafRow.NoValue;
        row.ValueLength = 0;
        int[] keyEnds = [0];
        EpochCommit erased = commit with { Leaves = new LeafBatch(new[] { row }, default, default, keyEnds, commit.Leaves.Origins) };
        await using MaintenanceStore store = await Fixture.Provider.OpenMaintenanceAsync(ConnectionString, Cancel);
        await Assert.ThrowsAsync<ArgumentException>(() => store.CommitEpochAsync(lease, erased, Cancel));
        Assert.Equal(CommitResult.Committed, await store.RestoreEpochAsync(lease, erased, Cancel));
        await using ConsistentRead read = await store.OpenConsistentReadAsync(Cancel);
        Assert.Null(Assert.Single(await read.ReadLeavesAsync(1, 0, 10, Cancel)).Value);
        Assert.Equal(0, await read.CountValuesAsync(Cancel));
    }
}
