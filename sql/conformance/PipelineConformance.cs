using System.Text;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage.Conformance;

/// <summary>Tests which pending updates an epoch takes, and that its transaction leaves either the old state or the new one.</summary>
public abstract class PipelineConformance : StorageConformance
{
    protected PipelineConformance(IStorageFixture fixture)
        : base(fixture)
    {
    }

    [Fact]
    public async Task The_genesis_epoch_is_written_once_and_only_by_the_leases_holder()
    {
        var period = PeriodRow.Genesis(Octets("wrapped"), Octets("configuration"));
        HeadRow empty = await Pipeline.ReadHeadAsync(Cancel);
        Assert.Equal((null, null, true), (empty.Epoch, empty.PublishedEpoch, empty.RecordHash.IsEmpty));
        Lease lost = await LeaseAsync(Pipeline, "first");
        await Pipeline.ReleaseLeaseAsync(lost, Cancel);
        Lease lease = await LeaseAsync(Pipeline, "second");
        await Assert.ThrowsAsync<StorageFencedException>(() => Pipeline.CreateGenesisAsync(lost, Epoch(0), period, Cancel));
        Assert.Empty(await Pipeline.ReadPeriodsAsync(Cancel));

        await Pipeline.CreateGenesisAsync(lease, Epoch(0), period, Cancel);
        HeadRow head = await Pipeline.ReadHeadAsync(Cancel);
        Assert.Equal((0ul, null), (head.Epoch, head.PublishedEpoch));
        Assert.Equal(Epoch(0).RecordHash.ToArray(), head.RecordHash.ToArray());
        PeriodRow stored = Assert.Single(await Pipeline.ReadPeriodsAsync(Cancel));
        Assert.Equal("wrapped configuration",
            Encoding.UTF8.GetString(stored.WrappedSecrets.Span) + " " + Encoding.UTF8.GetString(stored.Configuration.Span));
        await Assert.ThrowsAsync<StorageFencedException>(() => Pipeline.CreateGenesisAsync(lease, Epoch(0, variant: 1), period, Cancel));
        Assert.Equal(Epoch(0).RecordHash.ToArray(), (await Pipeline.ReadHeadAsync(Cancel)).RecordHash.ToArray());
    }

    [Fact]
    public async Task An_epoch_takes_the_oldest_update_of_each_key_in_the_order_of_acceptance()
    {
        Guid a1 = await AcceptOneAsync(Item("a", "1"));
        Guid a2 = await AcceptOneAsync(Item("a", "2"));
        Guid b1 = await AcceptOneAsync(Item("b", "3", new ExpectedVersion(1, 2)));
        Guid otherStructure = await AcceptOneAsync(Item("a", "4") with { Structure = StructureId.Devices });
        Assert.Equal([a1, b1, otherStructure], await PendingIdsAsync());
        PendingRequest read = (await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel))[1];
        Assert.Equal(new ExpectedVersion(1, 2), read.Items[0].Expected);
        Assert.Equal("b3", Encoding.UTF8.GetString(read.Items[0].Key.Span) + Encoding.UTF8.GetString(read.Items[0].Value.Span));

        Lease lease = await StartLogAsync();
        await PublishPendingAsync(lease, 1);
        Assert.Equal([a2], await PendingIdsAsync());
    }

    [Fact]
    public async Task An_atomic_request_waits_until_it_is_the_oldest_of_each_of_its_keys_and_holds_up_what_came_later()
    {
        Lease lease = await StartLogAsync();
        Guid a1 = await AcceptOneAsync(Item("a"));
        Guid ab = await AcceptOneAsync(Item("a"), Item("b"));
        Guid b1 = await AcceptOneAsync(Item("b"));
        Guid bc = await AcceptOneAsync(Item("c"), Item("b"));
        Guid c1 = await AcceptOneAsync(Item("c"));
        Guid d1 = await AcceptOneAsync(Item("d"));
        var epochs = new List<Guid[]> { new[] { a1, d1 }, new[] { ab }, new[] { b1 }, new[] { bc }, new[] { c1 } };
        for (int i = 0; i < epochs.Count; i++)
        {
            Assert.Equal(epochs[i], await PendingIdsAsync());
            await PublishPendingAsync(lease, (ulong)i + 1);
        }
        Assert.Empty(await PendingIdsAsync());
    }

    [Fact]
    public async Task Limits_cut_between_requests_and_one_request_always_fits()
    {
        Guid large = await AcceptOneAsync(Item("a", new string('v', 1000)), Item("b"), Item("c"));
        Guid small = await AcceptOneAsync(Item("d"));
        Guid last = await AcceptOneAsync(Item("e"));
        Assert.Equal([large], await PendingIdsAsync(maxItems: 1));
        Assert.Equal([large], await PendingIdsAsync(maxItems: 3));
        Assert.Equal([large, small], await PendingIdsAsync(maxItems: 4));
        Assert.Equal([large], await PendingIdsAsync(maxBytes: 10));
        Assert.Equal([large, small], await PendingIdsAsync(maxBytes: 1020));
        Assert.Equal([large, small, last], await PendingIdsAsync());
    }

    [Fact]
    public async Task What_an_epoch_on_its_way_decides_counts_as_gone_for_the_next()
    {
        Lease lease = await StartLogAsync();
        Guid a1 = await AcceptOneAsync(Item("a"));
        Guid ab = await AcceptOneAsync(Item("a"), Item("b"));
        Guid b = await AcceptOneAsync(Item("b"));
        Guid c = await AcceptOneAsync(Item("c"));
        EpochUpdates first = await Pipeline.ReadPendingAsync(100, 1 << 20, null, Cancel);
        Assert.Equal([a1, c], first.Requests.Select(request => request.RequestId));
        Guid c2 = await AcceptOneAsync(Item("c"));
        EpochUpdates second = await Pipeline.ReadPendingAsync(100, 1 << 20, first, Cancel);
        Assert.Equal([ab, c2], second.Requests.Select(request => request.RequestId));

        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, Commit(1, first.Requests), Cancel));
        await SignAndPublishAsync(lease, 1);
        EpochUpdates third = await Pipeline.ReadPendingAsync(100, 1 << 20, second, Cancel);
        Assert.Equal([b], third.Requests.Select(request => request.RequestId));
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, Commit(2, second.Requests), Cancel));
        Assert.Equal([b], await PendingIdsAsync());
    }

    [Fact]
    public async Task A_selection_is_shown_what_was_accepted_since_until_it_is_full()
    {
        _ = await StartLogAsync();
        Guid a = await AcceptOneAsync(Item("a"));
        var selection = new PendingSelection(3, 1 << 20);
        await Pipeline.ReadPendingAsync(selection, Cancel);
        await Pipeline.ReadPendingAsync(selection, Cancel);
        _ = await AcceptOneAsync(Item("a"));
        Guid bc = await AcceptOneAsync(Item("b"), Item("c"));
        await Pipeline.ReadPendingAsync(selection, Cancel);
        Assert.False(selection.IsFull);
        _ = await AcceptOneAsync(Item("d"));
        _ = await AcceptOneAsync(Item("e"));
        await Pipeline.ReadPendingAsync(selection, Cancel);
        Assert.True(selection.IsFull);
        await Pipeline.ReadPendingAsync(selection, Cancel);
        EpochUpdates updates = selection.Complete();
        Assert.Equal([a, bc], updates.Requests.Select(request => request.RequestId));
        Assert.Equal([1, 2], updates.Requests.Select(request => request.Items.Count));
        Assert.Equal(3, updates.Items);
        Assert.True(updates.More);
    }

    [Fact]
    public async Task Erasures_get_half_of_an_epochs_items_and_no_update_waits_for_the_others()
    {
        _ = await StartLogAsync();
        var orders = new List<Guid>();
        for (int i = 0; i < 4; i++)
        {
            // An erasure order counts as one item, no matter how many versions it names.
            orders.Add(
                await AcceptOneAsync(
                    new ErasureOrder(StructureId.Keys, 1, ErasureOrder.MaxValues) { Period = 0 }.ToItem(Octets($"key {i}"))));
        }
        Guid update = await AcceptOneAsync(Item("a"));
        EpochUpdates first = await Pipeline.ReadPendingAsync(4, 1 << 20, null, Cancel);
        Assert.Equal([orders[0], orders[1], update], first.Requests.Select(request => request.RequestId));
        Assert.True(first.More);
        EpochUpdates second = await Pipeline.ReadPendingAsync(4, 1 << 20, first, Cancel);
        Assert.Equal([orders[2], orders[3]], second.Requests.Select(request => request.RequestId));
        Assert.False(second.More);

        // The test removes one request from the selected updates, and the next epoch must take that request first.
        EpochUpdates taken = first.Without(new HashSet<Guid> { orders[1] }, more: true);
        Assert.Equal([orders[0], update], taken.Requests.Select(request => request.RequestId));
        EpochUpdates next = await Pipeline.ReadPendingAsync(4, 1 << 20, taken, Cancel);
        Assert.Equal([orders[1], orders[2]], next.Requests.Select(request => request.RequestId));
        Assert.True(next.More);
    }

    [Fact]
    public async Task A_batch_says_how_much_it_holds_and_whether_more_waits()
    {
        Assert.Equal((0, false), Shape(await Pipeline.ReadPendingAsync(1, 1, null, Cancel)));
        _ = await AcceptOneAsync(Item("a"), Item("b"));
        _ = await AcceptOneAsync(Item("a"));
        _ = await AcceptOneAsync(Item("c"));
        Assert.Equal((3, false), Shape(await Pipeline.ReadPendingAsync(3, 1 << 20, null, Cancel)));
        Assert.Equal((2, true), Shape(await Pipeline.ReadPendingAsync(2, 1 << 20, null, Cancel)));
        Assert.Equal((2, true), Shape(await Pipeline.ReadPendingAsync(100, 1, null, Cancel)));
        Assert.Equal(0, await Pipeline.CountPendingAsync(0, Cancel));
        Assert.Equal(3, await Pipeline.CountPendingAsync(3, Cancel));
        Assert.Equal(4, await Pipeline.CountPendingAsync(5, Cancel));

        static (int Items, bool More) Shape(EpochUpdates updates)
        {
            Assert.Equal(updates.Items, updates.Requests.Sum(request => request.Items.Count));
            return (updates.Items, updates.More);
        }
    }

    [Fact]
    public async Task A_commit_deletes_exactly_the_rows_that_were_read()
    {
        Lease lease = await StartLogAsync();
        Guid before = await AcceptOneAsync(Item("a"));
        EpochCommit commit = Commit(1, await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel));
        Guid after = await AcceptOneAsync(Item("b"));
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, commit, Cancel));
        Assert.Equal([after], await PendingIdsAsync());
        await SignAndPublishAsync(lease, 1);
        Assert.Equal(RequestState.Published, await StateAsync(before));
        Assert.Equal(RequestState.Pending, await StateAsync(after));
    }

    [Fact]
    public async Task A_pending_row_that_is_gone_takes_the_whole_epoch_back()
    {
        Lease lease = await StartLogAsync();
        Guid kept = await AcceptOneAsync(Item("a"));
        _ = await AcceptOneAsync(Item("b"), Item("c"));
        IReadOnlyList<PendingRequest> pending = await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel);
        await Fixture.DeletePendingAsync(ConnectionString, pending[1].Sequence, 1);
        Assert.Equal(CommitResult.Fenced, await Pipeline.CommitEpochAsync(lease, Commit(1, pending), Cancel));
        await AssertEpochAsync(0, leaves: 0);
        Assert.Equal(2, await Pipeline.CountPendingAsync(Cancel));
        Assert.Equal(RequestState.Pending, await StateAsync(kept));
        // An outcome with the same sequence number and item but another request id does not match the pending update.
        EpochCommit renamed = Commit(1, [pending[0] with { RequestId = Guid.CreateVersion7(await Accept.ReadClockAsync(Cancel)) }]);
        Assert.Equal(CommitResult.Fenced, await Pipeline.CommitEpochAsync(lease, renamed, Cancel));
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, Commit(1, [pending[0]]), Cancel));
        await AssertEpochAsync(1, leaves: 1);
    }

    [Fact]
    public async Task A_commit_that_does_not_follow_the_head_changes_nothing()
    {
        Lease lease = await StartLogAsync();
        _ = await AcceptOneAsync(Item("a"));
        IReadOnlyList<PendingRequest> pending = await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel);
        EpochCommit good = Commit(1, pending);
        Assert.Equal(CommitResult.Fenced,
            await Pipeline.CommitEpochAsync(lease, good with { PreviousHash = Epoch(0, variant: 1).RecordHash }, Cancel));
        Assert.Equal(CommitResult.Fenced, await Pipeline.CommitEpochAsync(lease, Commit(2, pending), Cancel));
        Assert.Equal(CommitResult.Fenced, await Pipeline.CommitEpochAsync(lease with { Fence = lease.Fence + 1 }, good, Cancel));
        Assert.Equal(CommitResult.Fenced, await Pipeline.CommitEpochAsync(lease with { Holder = "another" }, good, Cancel));
        await AssertEpochAsync(0, leaves: 0);
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, good, Cancel));
        // The test repeats the commit, as a caller that did not receive the answer might do.
        Assert.Equal(CommitResult.Fenced, await Pipeline.CommitEpochAsync(lease, good, Cancel));
        // Epoch 1 is not published yet, so the store must refuse to commit epoch 2.
        Assert.Equal(CommitResult.Fenced, await Pipeline.CommitEpochAsync(lease, Commit(2, []), Cancel));
        await SignAndPublishAsync(lease, 1);
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, Commit(2, []), Cancel));
        await AssertEpochAsync(2, leaves: 1);
    }

    [Fact]
    public async Task Of_two_holders_the_paused_one_is_fenced_out_of_every_write()
    {
        Lease paused = await StartLogAsync();
        _ = await AcceptOneAsync(Item("a"));
        EpochCommit commit = Commit(1, await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel));
        PipelineStore other = await OpenPipelineAsync();
        Assert.Null(await other.AcquireLeaseAsync("second", TimeSpan.FromMinutes(1), Cancel));
        Assert.True(await Pipeline.RenewLeaseAsync(paused, TimeSpan.FromMilliseconds(1), Cancel));
        await Task.Delay(50, Cancel);
        Lease second = await LeaseAsync(other, "second");
        Assert.Equal(paused.Fence + 1, second.Fence);

        Assert.Equal(CommitResult.Fenced, await Pipeline.CommitEpochAsync(paused, commit, Cancel));
        Assert.False(await Pipeline.RenewLeaseAsync(paused, TimeSpan.FromMinutes(1), Cancel));
        await Assert.ThrowsAsync<StorageFencedException>(
            () => Pipeline.StoreCheckpointAsync(paused, 0, Epoch(0).RecordHash, Octets("late"), Cancel));
        await Assert.ThrowsAsync<StorageFencedException>(() => Pipeline.PublishAsync(paused, 0, Cancel));
        await Assert.ThrowsAsync<StorageFencedException>(() => Pipeline.PurgeRequestsAsync(paused, 10, Cancel));
        await Pipeline.ReleaseLeaseAsync(paused, Cancel);
        Assert.Equal("second", (await other.ReadHeadAsync(Cancel)).Holder);
        await AssertEpochAsync(0, leaves: 0);

        Assert.Equal(CommitResult.Committed, await other.CommitEpochAsync(second, commit, Cancel));
        await AssertEpochAsync(1, leaves: 1);
    }

    [Fact]
    public async Task Of_many_that_want_the_lease_at_once_one_gets_it()
    {
        PipelineStore[] stores = [Pipeline, await OpenPipelineAsync(), await OpenPipelineAsync(), await OpenPipelineAsync()];
        Lease?[] leases = await Task.WhenAll(
            stores.Select((store, i) => store.AcquireLeaseAsync($"task {i}", TimeSpan.FromMinutes(1), Cancel)));
        Lease lease = Assert.Single(leases, one => one is not null)!;
        HeadRow head = await Pipeline.ReadHeadAsync(Cancel);
        Assert.Equal((lease.Holder, lease.Fence, lease.End), (head.Holder, head.Fence, head.LeaseEnd));
    }

    [Fact]
    public async Task A_lease_can_be_renewed_released_and_taken_again_by_its_holder()
    {
        Lease first = await LeaseAsync(Pipeline, "first");
        Assert.True(await Pipeline.RenewLeaseAsync(first, TimeSpan.FromHours(1), Cancel));
        Assert.True((await Pipeline.ReadHeadAsync(Cancel)).LeaseEnd > first.End);
        Lease again = await LeaseAsync(Pipeline, "first");
        Assert.Equal(first.Fence + 1, again.Fence);
        Assert.False(await Pipeline.RenewLeaseAsync(first, TimeSpan.FromHours(1), Cancel));
        await Pipeline.ReleaseLeaseAsync(again, Cancel);
        Assert.Equal(again.Fence + 1, (await LeaseAsync(Pipeline, "second")).Fence);
    }

    [Fact]
    public async Task A_transaction_whose_process_goes_away_leaves_nothing()
    {
        Lease lease = await StartLogAsync();
        await Fixture.AbandonWriteAsync(ConnectionString, 9);
        await AssertEpochAsync(0, leaves: 0);
        _ = await AcceptOneAsync(Item("a"));
        await PublishPendingAsync(lease, 1);
        await AssertEpochAsync(1, leaves: 1);
    }

    [Fact]
    public async Task A_checkpoint_needs_its_record_and_publication_needs_a_checkpoint()
    {
        Lease lease = await StartLogAsync();
        Assert.Equal(CommitResult.Committed, await CommitPendingAsync(lease, 1));
        await Assert.ThrowsAsync<StorageFencedException>(() => Pipeline.PublishAsync(lease, 1, Cancel));
        await Assert.ThrowsAsync<StorageFencedException>(
            () => Pipeline.StoreCheckpointAsync(lease, 1, Epoch(1, variant: 1).RecordHash, Octets("checkpoint"), Cancel));
        await Assert.ThrowsAsync<StorageFencedException>(
            () => Pipeline.StoreCheckpointAsync(lease, 2, Epoch(2).RecordHash, Octets("checkpoint"), Cancel));
        Assert.Equal(0ul, (await Pipeline.ReadHeadAsync(Cancel)).PublishedEpoch);
        await SignAndPublishAsync(lease, 1);
        await SignAndPublishAsync(lease, 1);
        Assert.Equal(1ul, (await Pipeline.ReadHeadAsync(Cancel)).PublishedEpoch);
        await Assert.ThrowsAsync<StorageFencedException>(() => Pipeline.PublishAsync(lease, 0, Cancel));
        await Assert.ThrowsAsync<StorageFencedException>(() => Pipeline.PublishAsync(lease, 2, Cancel));
        Assert.Equal("checkpoint 1", Encoding.UTF8.GetString((await Pipeline.ReadEpochsAsync(1, 1, Cancel))[0].Checkpoint.Span));
    }

    [Fact]
    public async Task An_unpublished_epoch_is_read_back_as_it_was_committed()
    {
        Lease lease = await StartLogAsync();
        Assert.Null(await Pipeline.ReadUnpublishedAsync(Cancel));
        _ = await AcceptOneAsync(Item("a", "1"), Item("b", ""));
        Guid refused = await AcceptOneAsync(Item("c"), Item("d"));
        var refusal = new Refusal(RefusalReason.ExpectedVersion, 1, new ExpectedVersion(0, 3));
        EpochCommit commit = Commit(
            1, await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel), request => request.RequestId == refused ? refusal : null);
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, commit, Cancel));

        EpochContent content = (await Pipeline.ReadUnpublishedAsync(Cancel))!;
        Assert.Equal(commit.Epoch.Record.ToArray(), content.Epoch.Record.ToArray());
        Assert.Equal(commit.Outcomes.OrderBy(outcome => (outcome.Sequence, outcome.Item)),
            content.Outcomes.OrderBy(outcome => (outcome.Sequence, outcome.Item)));
        AssertSameLeaves(commit.Leaves, content.Leaves);
        await SignAndPublishAsync(lease, 1);
        Assert.Null(await Pipeline.ReadUnpublishedAsync(Cancel));
    }

    [Fact]
    public async Task Old_requests_are_forgotten_but_never_a_pending_or_unpublished_one()
    {
        Lease lease = await StartLogAsync();
        Guid published = await AcceptOneAsync(Item("a"));
        Guid young = await AcceptOneAsync(Item("b"));
        await PublishPendingAsync(lease, 1);
        Guid unpublished = await AcceptOneAsync(Item("c"));
        Assert.Equal(CommitResult.Committed, await CommitPendingAsync(lease, 2));
        Guid pending = await AcceptOneAsync(Item("d"));

        DateTimeOffset now = await Accept.ReadClockAsync(Cancel);
        Guid youngAgain = Guid.CreateVersion7(now - Limits.RequestRetention + TimeSpan.FromMinutes(1));
        await Fixture.ReplaceRequestIdAsync(ConnectionString, young, youngAgain);
        var old = new List<Guid>();
        foreach (Guid id in new[] { published, unpublished, pending })
        {
            old.Add(Guid.CreateVersion7(now - Limits.RequestRetention - TimeSpan.FromMinutes(1)));
            await Fixture.ReplaceRequestIdAsync(ConnectionString, id, old[^1]);
        }
        Assert.Equal(0, await Pipeline.PurgeRequestsAsync(lease, 0, Cancel));
        Assert.Equal(1, await Pipeline.PurgeRequestsAsync(lease, 10, Cancel));
        Assert.Null(await StateAsync(old[0]));
        Assert.Equal(RequestState.Pending, await StateAsync(old[1]));
        Assert.Equal(RequestState.Pending, await StateAsync(old[2]));
        Assert.Equal(RequestState.Published, await StateAsync(youngAgain));
        await SignAndPublishAsync(lease, 2);
        Assert.Equal(1, await Pipeline.PurgeRequestsAsync(lease, 10, Cancel));
        Assert.Null(await StateAsync(old[1]));
        // The store does not reuse the sequence numbers of purged requests.
        Guid next = await AcceptOneAsync(Item("e"));
        IReadOnlyList<PendingRequest> queue = await Pipeline.ReadPendingAsync(10, 1 << 20, Cancel);
        Assert.Equal([old[2], next], queue.Select(request => request.RequestId));
        Assert.True(queue[1].Sequence > queue[0].Sequence);
    }

    [Fact]
    public async Task A_commit_that_contradicts_itself_is_the_callers_error()
    {
        Lease lease = await StartLogAsync();
        _ = await AcceptOneAsync(Item("a"));
        _ = await AcceptOneAsync(Item("b"));
        EpochCommit good = Commit(1, await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel));
        LeafRow[] reversed = good.Leaves.Rows.ToArray();
        Array.Reverse(reversed);
        LeafRow[] outside = good.Leaves.Rows.ToArray();
        outside[1].ValueLength++;
        LeafRow[] elsewhere = good.Leaves.Rows.ToArray();
        elsewhere[0].Epoch = 2;
        EpochCommit[] bad =
        [
            good with { Leaves = good.Leaves with { Rows = reversed } },
            good with { Leaves = good.Leaves with { Rows = outside } },
            good with { Leaves = good.Leaves with { Rows = elsewhere } },
            good with { Outcomes = [good.Outcomes[0]] },
            good with { Outcomes = [good.Outcomes[0], good.Outcomes[1], good.Outcomes[1]] },
            good with { Outcomes = [good.Outcomes[0] with { Item = 1 }, good.Outcomes[1]] },
            good with { Epoch = good.Epoch with { Record = new byte[EpochRecord.Length - 1] } },
            good with { Epoch = good.Epoch with { Checkpoint = Octets("early") } },
        ];
        foreach (EpochCommit commit in bad)
        {
            await Assert.ThrowsAsync<ArgumentException>(() => Pipeline.CommitEpochAsync(lease, commit, Cancel));
        }
        await AssertEpochAsync(0, leaves: 0);
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, good, Cancel));
    }

    private async Task<List<Guid>> PendingIdsAsync(int maxItems = 1000, long maxBytes = 1 << 20) =>
        [.. (await Pipeline.ReadPendingAsync(maxItems, maxBytes, Cancel)).Select(request => request.RequestId)];

    private async Task AssertEpochAsync(ulong epoch, int leaves)
    {
        HeadRow head = await Pipeline.ReadHeadAsync(Cancel);
        Assert.Equal(epoch, head.Epoch);
        Assert.Equal(Epoch(epoch).RecordHash.ToArray(), head.RecordHash.ToArray());
        Assert.Equal((int)epoch + 1, (await Pipeline.ReadEpochsAsync(0, 1000, Cancel)).Count);
        int stored = 0;
        await foreach (LeafBatch batch in Pipeline.ReadLeavesAsync(0, 1000, 1000, LeafColumns.All, Cancel))
        {
            stored += batch.Rows.Length;
        }
        Assert.Equal(leaves, stored);
    }
}
