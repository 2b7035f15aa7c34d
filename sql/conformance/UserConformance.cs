using System.Text;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage.Conformance;

/// <summary>
/// Tests requests about users, whose first item is the device list and may get no leaf. Also tests leaves of all four structures.
/// </summary>
public abstract class UserConformance : StorageConformance
{
    private static readonly ItemResult.Unchanged s_unchanged = new(new ExpectedVersion(0, 1));

    protected UserConformance(IStorageFixture fixture)
        : base(fixture)
    {
    }

    [Fact]
    public async Task A_list_that_stays_as_it_is_has_an_outcome_and_no_leaf()
    {
        Lease lease = await StartLogAsync();
        Guid created = await AcceptOneAsync(Create("alice"));
        Guid set = await AcceptOneAsync(List("bob"), Item("device"));
        Guid left = await AcceptOneAsync(List("carol"), Left("carol"));
        Guid refused = await AcceptOneAsync(List("dave"), Item("another"));
        var refusal = new Refusal(RefusalReason.UserUnknown, 0, new ExpectedVersion(0, 0));
        EpochCommit commit = CommitUsers(
            1, await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel), request => request.RequestId == refused ? refusal : null);
        Assert.Equal((9, 5), (commit.Outcomes.Count, commit.Leaves.Rows.Length));
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, commit, Cancel));
        Assert.Equal(0, await Pipeline.CountPendingAsync(Cancel));
        foreach (Guid id in (Guid[])[created, set, left, refused])
        {
            Assert.Equal(RequestState.Pending, await StateAsync(id));
        }
        EpochContent content = (await Pipeline.ReadUnpublishedAsync(Cancel))!;
        Assert.Equal(commit.Outcomes.OrderBy(outcome => (outcome.Sequence, outcome.Item)),
            content.Outcomes.OrderBy(outcome => (outcome.Sequence, outcome.Item)));
        AssertSameLeaves(commit.Leaves, content.Leaves);
        await SignAndPublishAsync(lease, 1);
        await AssertPublishedAsync(Accept, created, (StructureId.Devices, "alice"), (StructureId.Usernames, "name of alice"),
            (StructureId.Keys, "device of alice"));
        await AssertPublishedAsync(Accept, set, (StructureId.Keys, "device"));
        await AssertPublishedAsync(Accept, left, (StructureId.Decommissioned, "carol"));
        RequestStatus said = (await Accept.ReadStatusAsync(refused, Cancel))!;
        Assert.Equal((RequestState.Refused, refusal.Kind, 1ul, refusal), (said.State, said.Kind, said.Epoch, said.Refusal));
    }

    [Fact]
    public async Task Only_a_device_list_may_stay_as_it_is()
    {
        Lease lease = await StartLogAsync();
        _ = await AcceptOneAsync(List("bob"), Item("device"), Item("another"));
        EpochCommit commit = CommitUsers(1, await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel));
        EpochCommit wrong =
            commit with
            {
                Outcomes =
                [.. commit.Outcomes.Select(outcome => outcome.Result == s_unchanged ? outcome with { Item = 3 } : outcome)]
            };
        await Assert.ThrowsAsync<ArgumentException>(() => Pipeline.CommitEpochAsync(lease, wrong, Cancel));
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, commit, Cancel));
    }

    [Fact]
    public async Task Followers_get_the_leaves_of_all_structures_and_lists_alone_if_they_ask_for_no_more()
    {
        Lease lease = await StartLogAsync();
        _ = await AcceptOneAsync(Create("alice"));
        _ = await AcceptOneAsync(Item("plain", new string('v', 1000)));
        EpochCommit first = CommitUsers(1, await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel));
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, first, Cancel));
        await SignAndPublishAsync(lease, 1);
        _ = await AcceptOneAsync(List("bob"), Left("bob"));
        _ = await AcceptOneAsync(Create("carol"));
        EpochCommit second = CommitUsers(2, await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel));
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, second, Cancel));
        await SignAndPublishAsync(lease, 2);

        IFollowStore follow = await OpenFollowAsync();
        List<LeafBatch> whole = await LeavesAsync(follow, 1, LeafColumns.All);
        Assert.Equal(2, whole.Count);
        AssertSameLeaves(first.Leaves, whole[0]);
        AssertSameLeaves(second.Leaves, whole[1]);
        foreach (int batchRows in (int[])[1, 100])
        {
            (LeafRow Row, byte[]? Value)[] lists =
                [.. (await LeavesAsync(follow, batchRows, LeafColumns.Lists)).SelectMany(
                    batch => batch.Rows.ToArray().Select(row => (row, ValueOf(batch, row))))];
            (LeafRow Row, byte[]? Value)[] all =
                [.. whole.SelectMany(batch => batch.Rows.ToArray().Select(row => (row, ValueOf(batch, row))))];
            Assert.Equal(all.Length, lists.Length);
            Assert.All(all.Zip(lists), pair =>
            {
                bool isList = pair.First.Row.Structure == StructureId.Devices;
                Assert.Equal((pair.First.Row.Epoch, pair.First.Row.Structure, pair.First.Row.Version),
                    (pair.Second.Row.Epoch, pair.Second.Row.Structure, pair.Second.Row.Version));
                Assert.Equal(pair.First.Row.Label, pair.Second.Row.Label);
                Assert.Equal(pair.First.Row.Commitment, pair.Second.Row.Commitment);
                Assert.Equal(pair.First.Row.Tag, pair.Second.Row.Tag);
                Assert.Equal(isList ? pair.First.Value : null, pair.Second.Value);
                Assert.Equal(isList ? pair.First.Row.Opening.ToArray() : new byte[16], pair.Second.Row.Opening.ToArray());
            });
            Assert.Equal(2, lists.Count(leaf => leaf.Value is not null));
        }
    }

    [Fact]
    public async Task Names_are_read_without_the_leaves_of_periods()
    {
        Lease lease = await StartLogAsync();
        _ = await AcceptOneAsync(Create("alice"));
        _ = await AcceptOneAsync(Item("plain", "value"));
        EpochCommit first = CommitUsers(1, await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel));
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, first, Cancel));
        await SignAndPublishAsync(lease, 1);
        await PublishAsync(lease, 2, Item("another", "value"));
        _ = await AcceptOneAsync(List("bob"), Left("bob"));
        EpochCommit third = CommitUsers(3, await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel));
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, third, Cancel));

        IFollowStore follow = await OpenFollowAsync();
        // Each page covers whole epochs, until they have about the requested number of leaves of all structures together. Only the
        // update-task sees the unpublished epoch.
        AssertNames(first, await follow.ReadNamesAsync(1, 9, 1, LeafColumns.Values, Cancel), through: 1);
        AssertNames(first, await follow.ReadNamesAsync(1, 9, 100, LeafColumns.Values, Cancel), through: 2);
        (LeafBatch none, ulong? through) = await follow.ReadNamesAsync(2, 9, 100, LeafColumns.Values, Cancel);
        Assert.Equal((0, 2UL), (none.Rows.Length, through));
        Assert.Null((await follow.ReadNamesAsync(3, 9, 100, LeafColumns.Values, Cancel)).Through);
        AssertNames(third, await Pipeline.ReadNamesAsync(2, 9, 100, LeafColumns.Values, Cancel), through: 3);
        Assert.Null((await Pipeline.ReadNamesAsync(4, 9, 100, LeafColumns.Values, Cancel)).Through);
        foreach (LeafColumns columns in (LeafColumns[])[LeafColumns.Trees, LeafColumns.Lists])
        {
            LeafBatch names = (await Pipeline.ReadNamesAsync(1, 3, 100, columns, Cancel)).Names;
            Assert.Equal([StructureId.Usernames, StructureId.Decommissioned], names.Rows.ToArray().Select(row => row.Structure));
            Assert.All(names.Rows.ToArray(), row => Assert.Equal(LeafRow.NoValue, row.ValueOffset));
        }

        static void AssertNames(EpochCommit commit, (LeafBatch Names, ulong? Through) read, ulong through)
        {
            Assert.Equal(through, read.Through);
            (LeafRow Row, byte[]? Value)[] expected =
                [.. commit.Leaves.Rows.ToArray().Where(row => !row.Structure.IsPerPeriod())
                    .Select(row => (row, ValueOf(commit.Leaves, row)))];
            LeafRow[] rows = read.Names.Rows.ToArray();
            Assert.NotEmpty(expected);
            Assert.Equal(expected.Select(leaf => leaf.Row.Label.ToArray()), rows.Select(row => row.Label.ToArray()));
            Assert.Equal(expected.Select(leaf => leaf.Row.Commitment.ToArray()), rows.Select(row => row.Commitment.ToArray()));
            Assert.Equal(expected.Select(leaf => leaf.Value), rows.Select(row => ValueOf(read.Names, row)));
        }
    }

    [Fact]
    public async Task A_user_has_one_request_an_epoch_and_so_many_that_wait()
    {
        Lease lease = await StartLogAsync();
        var accepted = new List<Guid>();
        for (int i = 0; i < Limits.PendingPerKey; i++)
        {
            accepted.Add(await AcceptOneAsync(List("alice"), Item($"device {i}")));
        }
        Assert.Equal(AcceptStatus.TooManyPending, (await TryAcceptAsync(await RequestAsync(List("alice"), Item("one more")))).Status);
        Guid other = await AcceptOneAsync(List("bob"), Item("of bob"));
        Assert.Equal([accepted[0], other], (await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel)).Select(request => request.RequestId));
        Assert.Equal(CommitResult.Committed,
            await Pipeline.CommitEpochAsync(lease, CommitUsers(1, await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel)), Cancel));
        Assert.Equal(accepted[1], Assert.Single(await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel)).RequestId);
    }

    [Fact]
    public async Task An_older_copy_and_an_empty_database_get_all_of_it()
    {
        Lease lease = await StartLogAsync();
        AcceptRequest lost = await RequestAsync(List("bob"), Item("device"));
        EpochCommit commit = CommitUsers(1, [new PendingRequest(lost.RequestId, 1, lost.BodyHash, lost.Items)]);
        await using MaintenanceStore store = await Fixture.Provider.OpenMaintenanceAsync(ConnectionString, Cancel);
        Assert.Equal(CommitResult.Committed, await store.RestoreEpochAsync(lease, commit, Cancel));
        await SignAndPublishAsync(lease, 1);
        await AssertPublishedAsync(Accept, lost.RequestId, (StructureId.Keys, "device"));
        string other = await Fixture.CreateMigratedAsync(Cancel);
        try
        {
            await using (MaintenanceStore target = await Fixture.Provider.OpenMaintenanceAsync(other, Cancel))
            {
                await CopyAsync(store, target, commit: true);
                await using ConsistentRead read = await target.OpenConsistentReadAsync(Cancel);
                IReadOnlyList<StoredOutcome> outcomes = await read.ReadOutcomesAsync(0, long.MaxValue, Cancel);
                Assert.Equal([s_unchanged, new ItemResult.Leaf(0)], outcomes.Select(outcome => outcome.Result.ToResult()));
                Assert.Equal([null, new LeafOrigin(lost.RequestId, 1)], outcomes.Select(outcome => outcome.Leaf));
            }
            await using IAcceptStore accept = await Fixture.Provider.OpenAcceptAsync(other, Cancel);
            await AssertPublishedAsync(accept, lost.RequestId, (StructureId.Keys, "device"));
        }
        finally
        {
            await Fixture.DropAsync(other);
        }
    }

    private static AcceptItem[] Create(string user) =>
    [
        new(StructureId.Devices, Octets(user), new UserChange(true, [Octets($"device of {user}")], []).Encode(), null),
        new(StructureId.Usernames, Octets($"name of {user}"), Octets(user), null),
        Item($"device of {user}"),
    ];

    // Returns the first item of a request that does not change the user's device list.
    private static AcceptItem List(string user) => new(StructureId.Devices, Octets(user), new UserChange(false, [], []).Encode(), null);

    private static AcceptItem Left(string user) => new(StructureId.Decommissioned, Octets(user), new byte[] { 1 }, null);

    private static EpochCommit CommitUsers(
        ulong epoch, IReadOnlyList<PendingRequest> requests, Func<PendingRequest, Refusal?>? refuse = null) =>
        Commit(epoch, requests, refuse,
            (request, item) => item == UserChange.ItemIndex && UserChange.Parse(request) is { ChangesList: false } ? s_unchanged : null);

    private static async Task AssertPublishedAsync(IAcceptStore store, Guid id, params (StructureId Structure, string Key)[] items)
    {
        RequestStatus status = (await store.ReadStatusAsync(id, Cancel))!;
        Assert.Equal((RequestState.Published, RequestKind.User, (Refusal?)null), (status.State, status.Kind, status.Refusal));
        Assert.Equal(items, status.Items.Select(item => (item.Structure, Encoding.UTF8.GetString(item.Key.Span))));
    }

    private static async Task<List<LeafBatch>> LeavesAsync(IFollowStore store, int batchRows, LeafColumns columns)
    {
        var batches = new List<LeafBatch>();
        await foreach (LeafBatch batch in store.ReadLeavesAsync(1, 2, batchRows, columns, Cancel))
        {
            batches.Add(batch);
        }
        return batches;
    }

    private static byte[]? ValueOf(LeafBatch batch, LeafRow row) =>
        row.ValueOffset == LeafRow.NoValue ? null : batch.Values.Slice((int)row.ValueOffset, (int)row.ValueLength).ToArray();
}
