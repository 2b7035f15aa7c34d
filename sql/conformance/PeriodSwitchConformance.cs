using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage.Conformance;

/// <summary>Tests the first epoch of a period, erasures across periods, and the destruction of an ended period.</summary>
public abstract class PeriodSwitchConformance : StorageConformance
{
    protected PeriodSwitchConformance(IStorageFixture fixture)
        : base(fixture)
    {
    }

    [Fact]
    public async Task A_period_begins_with_its_epoch_or_not_at_all()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "1"), Item("b", "2"));
        EpochCommit switching = Switching(2, 1, 2);
        Assert.Equal(CommitResult.Fenced, await Pipeline.CommitEpochAsync(lease, switching, Cancel));
        await StageAsync(lease, await CopiesAsync(1, 0, ("a", 1), ("b", 1)));

        EpochCommit[] fenced =
        [
            switching with { Switch = new PeriodSwitch(1, 1) },
            switching with { Switch = new PeriodSwitch(1, 3) },
            switching with { Switch = new PeriodSwitch(1, 0) },
            Switching(2, 2, 2),
            switching with { PreviousHash = new byte[32] },
        ];
        foreach (EpochCommit commit in fenced)
        {
            Assert.Equal(CommitResult.Fenced, await Pipeline.CommitEpochAsync(lease, commit, Cancel));
        }
        Assert.Equal(CommitResult.Fenced, await Pipeline.CommitEpochAsync(lease with { Fence = lease.Fence + 1 }, switching, Cancel));
        await Assert.ThrowsAsync<ArgumentException>(() => Pipeline.CommitEpochAsync(lease, switching with { Period = 0 }, Cancel));
        await Assert.ThrowsAsync<ArgumentException>(
            () => Pipeline.CommitEpochAsync(lease, switching with { Period = 0, Switch = new PeriodSwitch(0, 0) }, Cancel));
        await Assert.ThrowsAsync<ArgumentException>(
            () => Pipeline.CommitEpochAsync(lease, switching with { Switch = new PeriodSwitch(1, -1) }, Cancel));
        Assert.Equal([PeriodState.Current, PeriodState.Next], await StatesAsync());
        Assert.Equal(1UL, (await Pipeline.ReadHeadAsync(Cancel)).Epoch);

        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, switching, Cancel));
        PeriodRow begun = (await Pipeline.ReadPeriodsAsync(Cancel))[1];
        Assert.Equal((PeriodState.Current, 2UL, 2), (begun.State, begun.FirstEpoch, begun.Copies));
        Assert.Equal(switching.Switch, (await Pipeline.ReadUnpublishedAsync(Cancel))!.Switch);
        // The new period's first epoch is not published yet, so the query-service is still in the previous period.
        IFollowStore follow = await OpenFollowAsync();
        Assert.Equal(
            0UL, PeriodRows.At(await follow.ReadPeriodsAsync(Cancel), (await follow.ReadHeadAsync(Cancel)).PublishedEpoch!.Value).Period);
        await SignAndPublishAsync(lease, 2);
        Assert.Equal(1UL, PeriodRows.At(await follow.ReadPeriodsAsync(Cancel), 2).Period);

        // Period 1 has begun, so the store stages no more copies for it; the next period is now period 2.
        Assert.Equal(StageResult.Fenced, await Pipeline.StageCopiesAsync(lease, await CopiesAsync(1, 2, ("a", 1)), Cancel));
        await PublishAsync(lease, 3, Item("a", "2"));
        Assert.Null((await CommitAndReadAsync(lease, 4)).Switch);
        await SignAndPublishAsync(lease, 4);
        _ = await Pipeline.BeginPeriodAsync(lease, 2, Octets("secrets"), Cancel);
        Assert.Equal([PeriodState.Ended, PeriodState.Current, PeriodState.Next], await StatesAsync());
    }

    [Fact]
    public async Task The_first_epoch_of_a_period_has_no_leaves_where_only_copies_are()
    {
        Lease lease = await StartLogAsync();
        _ = await Pipeline.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        _ = await AcceptOneAsync(Item("a"));
        EpochCommit commit = Commit(1, await Pipeline.ReadPendingAsync(10, 1 << 20, Cancel)) with
        {
            Period = 1,
            Switch = new PeriodSwitch(1, 0),
        };
        await Assert.ThrowsAsync<ArgumentException>(() => Pipeline.CommitEpochAsync(lease, commit, Cancel));
        LeafRow[] rows = commit.Leaves.Rows.ToArray();
        rows[0].Structure = StructureId.Usernames;
        EpochCommit control = commit with { Leaves = commit.Leaves with { Rows = rows } };
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, control, Cancel));
    }

    [Fact]
    public async Task A_value_is_erased_in_every_period_that_it_was_copied_to()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "first"), Item("b", "other"));
        CopyBatch copies = await CopiesAsync(1, 0, ("a", 1), ("b", 1), ("a", 0), ("a", 1));
        await StageAsync(lease, copies);
        await SwitchAsync(lease, 2, 1, 4);
        // Period 2 has a copy of a copy, and period 1 has a later version of the key.
        await StageAsync(lease, copies.From(3) with { Period = 2, First = 0, Sources = new[] { new CopySource(1, 0, 3) } });
        await PublishAsync(lease, 3, Item("a", "second"));

        (EpochCommit commit, Guid request) = await ErasingAsync(4, "a");
        commit = commit with { Period = 1, Erasures = [new Erasure(0, 3, new LeafOrigin(request, 0)) { Period = 1 }] };
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, commit, Cancel));
        await SignAndPublishAsync(lease, 4);
        Assert.Equal([false, true], (await FindAsync((1, "a"), (1, "b"))).Select(place => place!.HasValue));
        Assert.Equal([false, true, false, false], await HaveValuesAsync(1));
        Assert.Equal([false], await HaveValuesAsync(2));
        Assert.Equal(4, (await Pipeline.ReadErasuresAsync(4, 4, Cancel)).Count);
        // The erasure's receipt lists only public versions: the version in period 0, and its copy in period 1, which occurs only once
        // although it has two rows. The copy in period 2 is not public yet.
        IReadOnlyList<ErasedVersion> receipt = await Accept.ReadReceiptAsync(4, request, Cancel);
        Assert.Equal([new ErasedVersion(StructureId.Keys, 0, 1, 1), new ErasedVersion(StructureId.Keys, 1, 1, 2)],
            receipt.OrderBy(version => version.Period));
    }

    [Fact]
    public async Task A_restored_switch_needs_the_copies_before()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "1"));
        CopyBatch copies = await CopiesAsync(1, 0, ("a", 1));
        await using MaintenanceStore store = await Fixture.Provider.OpenMaintenanceAsync(ConnectionString, Cancel);
        _ = await store.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        Assert.Equal(CommitResult.Fenced, await store.RestoreEpochAsync(lease, Switching(2, 1, 1), Cancel));
        Assert.Equal(StageResult.Staged, await store.RestoreCopiesAsync(lease, copies, Cancel));
        Assert.Equal(CommitResult.Committed, await store.RestoreEpochAsync(lease, Switching(2, 1, 1), Cancel));
        // The store accepts the same rows again, because it has them already.
        Assert.Equal(StageResult.Staged, await store.RestoreCopiesAsync(lease, copies, Cancel));
        Assert.Equal(StageResult.Fenced, await store.RestoreCopiesAsync(lease, copies with { First = 1 }, Cancel));
        Assert.Equal([PeriodState.Ended, PeriodState.Current], await StatesAsync());
    }

    [Fact]
    public async Task A_period_is_destroyed_once_it_is_not_served_and_a_successor_goes_on()
    {
        const int Retained = 2;
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "1"), Item("b", "2"), Item("c", "3"));
        CopyBatch copies = await CopiesAsync(1, 0, ("a", 1), ("b", 1), ("c", 1));
        CopySource[] again = [new(1, 0, 0), new(1, 0, 1), new(1, 0, 2)];
        await StageAsync(lease, copies);
        await SwitchAsync(lease, 2, 1, 3);
        await StageAsync(lease, copies with { Period = 2, Sources = again });
        await SwitchAsync(lease, 3, 2, 3);
        await StageAsync(lease, copies with { Period = 3, Sources = again });

        // Since period 0, two later periods have begun. Since period 1, only one has begun, so period 1 is still served.
        await Assert.ThrowsAsync<StorageFencedException>(() => Pipeline.DestroyAsync(lease, 0, 10, Cancel));
        foreach (ulong served in new ulong[] { 1, 2, 3, 9 })
        {
            await Assert.ThrowsAsync<ArgumentException>(() => Pipeline.BeginDestroyingAsync(lease, served, Retained, Cancel));
        }
        await Assert.ThrowsAsync<StorageFencedException>(
            () => Pipeline.BeginDestroyingAsync(lease with { Fence = lease.Fence + 1 }, 0, Retained, Cancel));
        await Pipeline.BeginDestroyingAsync(lease, 0, Retained, Cancel);
        await Pipeline.BeginDestroyingAsync(lease, 0, Retained, Cancel);
        Assert.True((await Pipeline.ReadPeriodsAsync(Cancel))[0].WrappedSecrets.IsEmpty);
        Assert.True(await Pipeline.DestroyAsync(lease, 0, 10, Cancel));
        Assert.True(await Pipeline.DestroyAsync(lease, 0, 10, Cancel));
        await SwitchAsync(lease, 4, 3, 3);

        await Pipeline.BeginDestroyingAsync(lease, 1, Retained, Cancel);
        Assert.False(await Pipeline.DestroyAsync(lease, 1, 2, Cancel));
        Assert.Equal([PeriodState.Destroyed, PeriodState.Destroying, PeriodState.Ended, PeriodState.Current], await StatesAsync());
        await Pipeline.ReleaseLeaseAsync(lease, Cancel);
        PipelineStore other = await OpenPipelineAsync();
        Lease second = await LeaseAsync(other, "second");
        await Assert.ThrowsAsync<StorageFencedException>(() => Pipeline.DestroyAsync(lease, 1, 2, Cancel));
        await other.BeginDestroyingAsync(second, 1, Retained, Cancel);
        Assert.True(await other.DestroyAsync(second, 1, 2, Cancel));
        Assert.Equal([PeriodState.Destroyed, PeriodState.Destroyed, PeriodState.Ended, PeriodState.Current], await StatesAsync());
        Assert.Equal([false, false, false], await HaveValuesAsync(1));
        Assert.Equal([true, true, true], await HaveValuesAsync(2));
        Assert.Equal(3UL, PeriodRows.At(await other.ReadPeriodsAsync(Cancel), 4).Period);

        // An erasure finds a copy of a copy, even if the period of the first copy is being destroyed.
        (EpochCommit commit, Guid request) = await ErasingAsync(5, "a");
        commit = commit with { Period = 3, Erasures = [new Erasure(0, 0, new LeafOrigin(request, 0)) { Period = 3 }] };
        Assert.Equal(CommitResult.Committed, await other.CommitEpochAsync(second, commit, Cancel));
        Assert.Equal([false, false, false], (await FindAsync((1, "a"), (1, "b"), (1, "c"))).Select(place => place!.HasValue));
        Assert.Equal([false, true, true], await HaveValuesAsync(2));
        Assert.Equal([false, true, true], await HaveValuesAsync(3));
    }

    [Fact]
    public async Task Secrets_are_replaced_if_they_are_what_was_read_and_the_next_period_has_the_key_of_the_current_one()
    {
        Lease lease = await StartLogAsync();
        await using MaintenanceStore store = await Fixture.Provider.OpenMaintenanceAsync(ConnectionString, Cancel);
        ReadOnlyMemory<byte> first = (await store.ReadPeriodsAsync(Cancel))[0].WrappedSecrets;
        byte[] old = Wrapped(1, 5);
        Assert.True(await store.RewrapSecretsAsync(0, first, old, Cancel));
        Assert.False(await store.RewrapSecretsAsync(0, first, Wrapped(2, 5), Cancel));
        Assert.False(await store.RewrapSecretsAsync(1, old, Wrapped(2, 5), Cancel));
        Assert.Equal(old, (await store.ReadPeriodsAsync(Cancel))[0].WrappedSecrets.ToArray());

        // The new secrets are wrapped by another key-encryption key than the current period's secrets, so the store refuses to begin the
        // next period.
        await Assert.ThrowsAsync<StorageFencedException>(() => Pipeline.BeginPeriodAsync(lease, 1, Wrapped(2, 6), Cancel));
        PeriodRow next = await Pipeline.BeginPeriodAsync(lease, 1, Wrapped(1, 6), Cancel);
        // If the period's row already exists, the holder of the lease gets the stored row.
        Assert.True(await store.RewrapSecretsAsync(0, old, Wrapped(2, 5), Cancel));
        Assert.Equal(next.WrappedSecrets.ToArray(),
            (await Pipeline.BeginPeriodAsync(lease, 1, Wrapped(1, 7), Cancel)).WrappedSecrets.ToArray());
        Assert.True(await store.RewrapSecretsAsync(1, next.WrappedSecrets, Wrapped(2, 6), Cancel));
        Assert.Equal([Wrapped(2, 5), Wrapped(2, 6)],
            (await store.ReadPeriodsAsync(Cancel)).Select(period => period.WrappedSecrets.ToArray()));

        // Rewrapping must not restore secrets that were destroyed after the caller had read them.
        await SwitchAsync(lease, 1, 1, 0);
        await Pipeline.BeginDestroyingAsync(lease, 0, retainedPeriods: 1, Cancel);
        Assert.False(await store.RewrapSecretsAsync(0, Wrapped(2, 5), Wrapped(3, 5), Cancel));
        Assert.True((await store.ReadPeriodsAsync(Cancel))[0].WrappedSecrets.IsEmpty);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => store.RewrapSecretsAsync(0, default, Wrapped(3, 5), Cancel));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => store.RewrapSecretsAsync(1, Wrapped(2, 6), default, Cancel));

        // Returns bytes in the format of docs/spec/wrapping.md section 2 that name the given key-encryption key.
        static byte[] Wrapped(byte key, byte content) => [2, .. Enumerable.Repeat(key, 8), .. Enumerable.Repeat(content, 60)];
    }

    [Fact]
    public async Task What_proves_of_a_destroyed_periods_leaves_goes_by_epoch_and_all_else_stays()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "1"), Item("b", "2"), Item("name", "3") with { Structure = StructureId.Usernames },
            Item("list", "4") with { Structure = StructureId.Devices });
        await PublishAsync(lease, 2);
        await PublishAsync(lease, 3, Item("a", "5"), Item("left", "6") with { Structure = StructureId.Decommissioned });
        CopyBatch copies = await CopiesAsync(1, 0, ("a", 3), ("b", 1), ("list", 1));
        await StageAsync(lease, copies);
        await SwitchAsync(lease, 4, 1, 3);
        _ = await AcceptOneAsync(Item("a", "7"));
        EpochCommit later = Commit(5, await Pipeline.ReadPendingAsync(10, 1 << 20, Cancel)) with { Period = 1 };
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, later, Cancel));
        await SignAndPublishAsync(lease, 5);
        await Pipeline.BeginDestroyingAsync(lease, 0, retainedPeriods: 1, Cancel);

        // One call destroys the values of whole epochs only, and the next call continues with the remaining epochs.
        Assert.False(await Pipeline.DestroyAsync(lease, 0, 1, Cancel));
        (StructureId, bool)[] first = [(StructureId.Usernames, true), (StructureId.Devices, false), (StructureId.Keys, false),
            (StructureId.Keys, false)];
        Assert.Equal(first, await HaveLeafValuesAsync(1));
        Assert.Equal([(StructureId.Keys, true), (StructureId.Decommissioned, true)], await HaveLeafValuesAsync(3));

        // The value of this copy's source was destroyed, so only the copy gets a row in the erasure sequence.
        (EpochCommit commit, Guid request) = await ErasingAsync(6, "b");
        commit = commit with { Period = 1, Erasures = [new Erasure(0, 1, new LeafOrigin(request, 0)) { Period = 1 }] };
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, commit, Cancel));
        await SignAndPublishAsync(lease, 6);
        Assert.Single(await Pipeline.ReadErasuresAsync(6, 6, Cancel));

        await Pipeline.ReleaseLeaseAsync(lease, Cancel);
        PipelineStore other = await OpenPipelineAsync();
        Lease second = await LeaseAsync(other, "second");
        Assert.True(await other.DestroyAsync(second, 0, 1, Cancel));
        Assert.True(await other.DestroyAsync(second, 0, 1, Cancel));
        Assert.Equal([PeriodState.Destroyed, PeriodState.Current], await StatesAsync());
        Assert.Equal(first, await HaveLeafValuesAsync(1));
        Assert.Equal([(StructureId.Keys, false), (StructureId.Decommissioned, true)], await HaveLeafValuesAsync(3));
        Assert.Equal([(StructureId.Keys, true)], await HaveLeafValuesAsync(5));
        Assert.Equal([true, false, true], await HaveValuesAsync(1));
    }

    [Fact]
    public async Task A_switch_that_was_asked_for_is_over_once_the_period_has_begun()
    {
        Lease lease = await StartLogAsync();
        await using MaintenanceStore operating = await Fixture.Provider.OpenMaintenanceAsync(ConnectionString, Cancel);
        Assert.Null(await Pipeline.ReadRequestedSwitchAsync(Cancel));
        foreach (ulong period in new ulong[] { 0, 2, ulong.MaxValue })
        {
            await Assert.ThrowsAsync<ArgumentException>(() => operating.RequestSwitchAsync(period, Cancel));
        }
        Assert.Null(await Pipeline.ReadRequestedSwitchAsync(Cancel));

        await operating.RequestSwitchAsync(1, Cancel);
        await operating.RequestSwitchAsync(1, Cancel);
        Assert.Equal(1UL, await Pipeline.ReadRequestedSwitchAsync(Cancel));
        await PublishAsync(lease, 1, Item("a", "1"));
        await StageAsync(lease, await CopiesAsync(1, 0, ("a", 1)));
        await operating.RequestSwitchAsync(1, Cancel);
        Assert.Equal(1UL, await Pipeline.ReadRequestedSwitchAsync(Cancel));

        await SwitchAsync(lease, 2, 1, 1);
        Assert.Null(await Pipeline.ReadRequestedSwitchAsync(Cancel));
        await Assert.ThrowsAsync<ArgumentException>(() => operating.RequestSwitchAsync(1, Cancel));
        await operating.RequestSwitchAsync(2, Cancel);
        Assert.Equal(2UL, await Pipeline.ReadRequestedSwitchAsync(Cancel));
    }

    private static EpochCommit Switching(ulong epoch, ulong period, int copies) =>
        Commit(epoch, []) with { Period = period, Switch = new PeriodSwitch(period, copies) };

    private async Task StageAsync(Lease lease, CopyBatch copies)
    {
        _ = await Pipeline.BeginPeriodAsync(lease, copies.Period, Octets("secrets"), Cancel);
        Assert.Equal(StageResult.Staged, await Pipeline.StageCopiesAsync(lease, copies, Cancel));
    }

    private async Task SwitchAsync(Lease lease, ulong epoch, ulong period, int copies)
    {
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, Switching(epoch, period, copies), Cancel));
        await SignAndPublishAsync(lease, epoch);
    }

    private async Task<EpochContent> CommitAndReadAsync(Lease lease, ulong epoch)
    {
        Assert.Equal(CommitResult.Committed, await CommitPendingAsync(lease, epoch));
        return (await Pipeline.ReadUnpublishedAsync(Cancel))!;
    }

    private async Task<IEnumerable<PeriodState>> StatesAsync() => (await Pipeline.ReadPeriodsAsync(Cancel)).Select(period => period.State);

    private async Task<IReadOnlyList<(StructureId, bool)>> HaveLeafValuesAsync(ulong epoch)
    {
        var leaves = new List<(StructureId, bool)>();
        await foreach (LeafBatch batch in Pipeline.ReadLeavesAsync(epoch, epoch, 100, LeafColumns.All, Cancel))
        {
            leaves.AddRange(batch.Rows.ToArray().Select(row => (row.Structure, row.ValueOffset != LeafRow.NoValue)));
        }
        return leaves;
    }

    private async Task<IEnumerable<bool>> HaveValuesAsync(ulong period) =>
        (await Pipeline.ReadCopiesAsync(period, 0, 100, LeafColumns.All, Cancel)).Rows.ToArray()
            .Select(row => row.ValueOffset != LeafRow.NoValue);
}
