using System.Text;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage.Conformance;

/// <summary>Tests the erasure of values by an epoch, and the erasure sequence, which records it.</summary>
public abstract class ErasureConformance : StorageConformance
{
    protected ErasureConformance(IStorageFixture fixture)
        : base(fixture)
    {
    }

    [Fact]
    public async Task An_erased_value_goes_with_its_key_and_opening_and_its_leaf_stays()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "first"), Item("b", "other"));
        await PublishAsync(lease, 2, Item("a", "second"));
        (EpochCommit commit, Guid request) = await ErasingAsync(3, "a", (1, "a"));
        int ordinal = commit.Erasures[0].Ordinal;
        Assert.Equal(Octets("first"), (await Pipeline.ReadValueAsync(new LeafPlace(1, ordinal, HasValue: true), Cancel))?.ToArray());
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, commit, Cancel));
        await SignAndPublishAsync(lease, 3);

        Assert.Null(await Pipeline.ReadValueAsync(new LeafPlace(1, ordinal, HasValue: true), Cancel));
        IFollowStore follow = await OpenFollowAsync();
        var values = new List<string>();
        int leaves = 0;
        await foreach (LeafBatch batch in follow.ReadLeavesAsync(0, 3, 100, LeafColumns.All, Cancel))
        {
            leaves += batch.Rows.Length;
            Assert.DoesNotContain("first", Encoding.UTF8.GetString(batch.Values.Span), StringComparison.Ordinal);
            for (int i = 0; i < batch.Rows.Length; i++)
            {
                LeafRow row = batch.Rows.Span[i];
                if (row.ValueOffset == LeafRow.NoValue)
                {
                    Assert.True(batch.Key(i).IsEmpty);
                    Assert.True(row.Opening.IndexOfAnyExcept((byte)0) < 0);
                    continue;
                }
                values.Add(Encoding.UTF8.GetString(batch.Values.Span.Slice((int)row.ValueOffset, (int)row.ValueLength)));
            }
        }
        Assert.Equal(3, leaves);
        Assert.Equal(["other", "second"], values.Order(StringComparer.Ordinal));

        RequestStatus status = (await Accept.ReadStatusAsync(request, Cancel))!;
        Assert.Equal((RequestState.Published, RequestKind.Erasure, 3UL, 0), (status.State, status.Kind, status.Epoch, status.Items.Count));
        Assert.Equal([new ErasedVersion(StructureId.Keys, 0, 1, 1)], await Accept.ReadReceiptAsync(3, request, Cancel));
        Assert.Empty(await Accept.ReadReceiptAsync(2, request, Cancel));
        Assert.Empty(await Accept.ReadReceiptAsync(3, Guid.CreateVersion7(), Cancel));
    }

    [Fact]
    public async Task A_follower_sees_erasures_of_published_epochs_in_their_order()
    {
        Lease lease = await StartLogAsync();
        IFollowStore follow = await OpenFollowAsync();
        Assert.Empty(await follow.ReadErasuresAsync(0, ulong.MaxValue, Cancel));
        await PublishAsync(lease, 1, Item("a", "1"), Item("b", "1"));
        await PublishAsync(lease, 2, Item("a", "2"), Item("b", "2"));
        (EpochCommit commit, Guid request) = await ErasingAsync(3, "both", (1, "b"), (1, "a"));
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, commit, Cancel));

        // Before the epoch is published, only the update-task sees the erasures, because it must finish the epoch.
        Assert.Empty(await follow.ReadErasuresAsync(0, 3, Cancel));
        Assert.Empty(await Accept.ReadReceiptAsync(3, request, Cancel));
        Assert.Equal(commit.Erasures, (await Pipeline.ReadUnpublishedAsync(Cancel))!.Erasures);
        await SignAndPublishAsync(lease, 3);

        IReadOnlyList<StoredErasure> erasures = await follow.ReadErasuresAsync(1, 3, Cancel);
        Assert.Equal([(3UL, 0), (3UL, 1)], erasures.Select(erasure => (erasure.DecidedIn, erasure.Number)));
        Assert.Equal(commit.Erasures, erasures.Select(erasure => erasure.Erasure));
        Assert.Equal(["b", "a"], erasures.Select(erasure => Name(erasure.Label)));
        Assert.All(erasures, erasure => Assert.Equal(StructureId.Keys, erasure.Structure));
        Assert.Empty(await follow.ReadErasuresAsync(4, 9, Cancel));
        Assert.Empty(await follow.ReadErasuresAsync(1, 2, Cancel));

        (EpochCommit next, _) = await ErasingAsync(4, "a");
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, next, Cancel));
        await SignAndPublishAsync(lease, 4);
        Assert.Equal(2, (await follow.ReadErasuresAsync(0, ulong.MaxValue, Cancel)).Count);

        // This function finds a key by the label that `Commit` computes for it.
        static string Name(ReadOnlyMemory<byte> label) =>
            label.Span.SequenceEqual(LabelOf("a", 1)) ? "a" : label.Span.SequenceEqual(LabelOf("b", 1)) ? "b" : "another";
    }

    [Fact]
    public async Task A_value_that_is_gone_already_takes_the_whole_epoch_back()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "1"), Item("b", "1"));
        await PublishAsync(lease, 2, Item("a", "2"), Item("b", "2"));
        (EpochCommit first, _) = await ErasingAsync(3, "a", (1, "a"));
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, first, Cancel));
        await SignAndPublishAsync(lease, 3);
        Assert.Equal([false, true], (await FindAsync((1, "a"), (1, "b"))).Select(place => place!.HasValue));

        (EpochCommit again, Guid waiting) = await ErasingAsync(4, "both", (1, "a"), (1, "b"));
        Assert.Equal(CommitResult.Fenced, await Pipeline.CommitEpochAsync(lease, again, Cancel));
        Assert.Equal(RequestState.Pending, await StateAsync(waiting));
        Assert.True((await FindAsync((1, "b")))[0]!.HasValue);
        Assert.Single(await Pipeline.ReadErasuresAsync(0, 9, Cancel));
        // Without the erasure whose value was already gone, the store commits the epoch.
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, again with { Erasures = [again.Erasures[1]] }, Cancel));
        Assert.False((await FindAsync((1, "b")))[0]!.HasValue);
    }

    [Fact]
    public async Task Erasures_that_contradict_their_epoch_are_the_callers_error()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "1"));
        await PublishAsync(lease, 2, Item("a", "2"));
        (EpochCommit good, _) = await ErasingAsync(3, "a", (1, "a"));
        Erasure erasure = good.Erasures[0];
        IReadOnlyList<Erasure>[] bad =
        [
            [erasure, erasure],
            [erasure with { Epoch = 3 }],
            [erasure with { Epoch = 0 }],
            [erasure with { Ordinal = -1 }],
            [erasure with { Origin = new LeafOrigin(Guid.CreateVersion7(), 0) }],
        ];
        foreach (IReadOnlyList<Erasure> erasures in bad)
        {
            await Assert.ThrowsAsync<ArgumentException>(() => Pipeline.CommitEpochAsync(lease, good with { Erasures = erasures }, Cancel));
        }
        Assert.True((await FindAsync((1, "a")))[0]!.HasValue);
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, good, Cancel));
        Assert.False((await FindAsync((1, "a")))[0]!.HasValue);
    }

    [Fact]
    public async Task Leaves_are_found_by_their_names()
    {
        Lease lease = await StartLogAsync();
        string[] keys = [.. Enumerable.Range(0, 37).Select(i => $"key {i}")];
        await PublishAsync(lease, 1,
            [.. keys.Select(key => Item(key)), new AcceptItem(StructureId.Usernames, Octets("key 1"), Octets("user"), null)]);
        await PublishAsync(lease, 2);
        IReadOnlyList<LeafPlace?> places = await FindAsync([.. keys.Select(key => (1UL, key))]);
        Assert.Equal(Enumerable.Range(1, keys.Length), places.Select(place => place!.Ordinal).Order());
        for (int i = 0; i < keys.Length; i++)
        {
            Assert.Equal(1UL, places[i]!.Epoch);
            Assert.True(places[i]!.HasValue);
        }
        Assert.Equal([null, null, null], await FindAsync((1, "unknown"), (2, "key 1"), (9, "key 1")));
        LeafName username = new(1, StructureId.Usernames, LabelOf("key 1", 1));
        Assert.Equal(
            0, (await Pipeline.FindLeavesAsync([username, username with { Structure = StructureId.Devices }], Cancel))[0]!.Ordinal);
        Assert.Null((await Pipeline.FindLeavesAsync([username with { Structure = StructureId.Devices }], Cancel))[0]);
    }

    [Fact]
    public async Task A_restored_epoch_erases_what_the_older_copy_still_has()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "1"), Item("b", "1"));
        await PublishAsync(lease, 2, Item("a", "2"), Item("b", "2"));
        (EpochCommit commit, Guid request) = await ErasingAsync(3, "both", (1, "a"), (1, "b"));
        await using MaintenanceStore store = await Fixture.Provider.OpenMaintenanceAsync(ConnectionString, Cancel);
        Assert.Equal(CommitResult.Committed, await store.RestoreEpochAsync(lease, commit, Cancel));
        await SignAndPublishAsync(lease, 3);
        Assert.Equal([false, false], (await FindAsync((1, "a"), (1, "b"))).Select(place => place!.HasValue));
        Assert.Equal(commit.Erasures, (await store.ReadErasuresAsync(3, 3, Cancel)).Select(erasure => erasure.Erasure));
        Assert.Equal(RequestState.Published, await StateAsync(request));
        // The value of "a" is already gone, but a restored epoch may erase it again.
        (EpochCommit later, _) = await ErasingAsync(4, "a", (1, "a"));
        Assert.Equal(CommitResult.Committed, await store.RestoreEpochAsync(lease, later, Cancel));
    }

    [Fact]
    public async Task The_sequence_is_read_and_imported_with_the_rest()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "1"), Item("b", "1"));
        await PublishAsync(lease, 2, Item("a", "2"), Item("b", "2"));
        (EpochCommit commit, Guid request) = await ErasingAsync(3, "both", (1, "a"), (1, "b"));
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, commit, Cancel));
        await SignAndPublishAsync(lease, 3);
        string other = await Fixture.CreateMigratedAsync(Cancel);
        try
        {
            await using MaintenanceStore source = await Fixture.Provider.OpenMaintenanceAsync(ConnectionString, Cancel);
            await using MaintenanceStore target = await Fixture.Provider.OpenMaintenanceAsync(other, Cancel);
            await using (ConsistentRead read = await source.OpenConsistentReadAsync(Cancel))
            await using (StorageImport import = await target.BeginImportAsync(Cancel))
            {
                Assert.Equal([1], (await read.ReadErasuresAsync(3, 1, 10, Cancel)).Select(erasure => erasure.Number));
                Assert.Equal([0], (await read.ReadErasuresAsync(0, 0, 1, Cancel)).Select(erasure => erasure.Number));
                Assert.Empty(await read.ReadErasuresAsync(4, 0, 10, Cancel));
                await import.AddPeriodsAsync(await read.ReadPeriodsAsync(Cancel), Cancel);
                await import.AddEpochsAsync(await read.ReadEpochsAsync(0, 100, Cancel), Cancel);
                await import.AddLeavesAsync(await read.ReadLeavesAsync(0, 0, 100, Cancel), Cancel);
                await import.AddRequestsAsync(await read.ReadRequestsAsync(0, 100, Cancel), Cancel);
                await import.AddOutcomesAsync(await read.ReadOutcomesAsync(0, long.MaxValue, Cancel), Cancel);
                await import.AddErasuresAsync(await read.ReadErasuresAsync(0, 0, 100, Cancel), Cancel);
                await import.CommitAsync(await read.ReadHeadAsync(Cancel), Cancel);
            }
            Assert.Equal(commit.Erasures, (await target.ReadErasuresAsync(0, 3, Cancel)).Select(erasure => erasure.Erasure));
            await using IAcceptStore accept = await Fixture.Provider.OpenAcceptAsync(other, Cancel);
            Assert.Equal(2, (await accept.ReadReceiptAsync(3, request, Cancel)).Count);
        }
        finally
        {
            await Fixture.DropAsync(other);
        }
    }
}
