using System.Text;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage.Conformance;

/// <summary>Tests a period that is prepared before it begins, and the copies with which it begins.</summary>
public abstract class PeriodConformance : StorageConformance
{
    protected PeriodConformance(IStorageFixture fixture)
        : base(fixture)
    {
    }

    [Fact]
    public async Task A_period_is_begun_once_and_whoever_takes_over_finds_its_secrets()
    {
        Lease lease = await StartLogAsync();
        await Assert.ThrowsAsync<StorageFencedException>(() => Pipeline.BeginPeriodAsync(lease, 2, Octets("too far"), Cancel));
        await Assert.ThrowsAsync<StorageFencedException>(() => Pipeline.BeginPeriodAsync(lease, 0, Octets("the present one"), Cancel));
        Lease lost = lease with { Fence = lease.Fence + 1 };
        await Assert.ThrowsAsync<StorageFencedException>(() => Pipeline.BeginPeriodAsync(lost, 1, Octets("another's"), Cancel));
        Assert.Single(await Pipeline.ReadPeriodsAsync(Cancel));

        PeriodRow begun = await Pipeline.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        PeriodRow again = await Pipeline.BeginPeriodAsync(lease, 1, Octets("others"), Cancel);
        IFollowStore follow = await OpenFollowAsync();
        PeriodRow stored = (await follow.ReadPeriodsAsync(Cancel))[1];
        foreach (PeriodRow row in new[] { begun, again, stored })
        {
            Assert.Equal((1UL, PeriodState.Next, null, null), (row.Period, row.State, row.FirstEpoch, row.Copies));
            Assert.Equal("secrets configuration",
                $"{Encoding.UTF8.GetString(row.WrappedSecrets.Span)} {Encoding.UTF8.GetString(row.Configuration.Span)}");
        }
        Assert.Null(PeriodRows.Contradiction(await Pipeline.ReadPeriodsAsync(Cancel)));
        // Epochs still belong to period 0, because period 1 is only prepared.
        await PublishAsync(lease, 1, Item("a", "1"));
        Assert.Equal(0UL, PeriodRows.At(await follow.ReadPeriodsAsync(Cancel), 1).Period);
    }

    [Fact]
    public async Task Copies_are_read_as_they_were_staged()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "value of a"), Item("b", ""), Item("c", "list") with { Structure = StructureId.Devices });
        CopyBatch copies = await CopiesAsync(1, 0, ("a", 1), ("b", 1), ("c", 1), ("d", 0));
        _ = await Pipeline.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        IFollowStore follow = await OpenFollowAsync();
        Assert.Equal(0, await follow.CountCopiesAsync(1, Cancel));
        Assert.Equal(0, (await follow.ReadCopiesAsync(1, 0, 10, LeafColumns.All, Cancel)).Rows.Length);
        Assert.Equal(StageResult.Staged, await Pipeline.StageCopiesAsync(lease, copies, Cancel));
        Assert.Equal(4, await follow.CountCopiesAsync(1, Cancel));
        Assert.Equal(0, await follow.CountCopiesAsync(7, Cancel));
        AssertSameCopies(copies, await follow.ReadCopiesAsync(1, 0, 10, LeafColumns.All, Cancel));

        // A read returns a page, and omits the columns that the caller did not ask for.
        AssertSameCopies(copies.From(2), await follow.ReadCopiesAsync(1, 2, 10, LeafColumns.All, Cancel));
        Assert.Equal(1, (await follow.ReadCopiesAsync(1, 1, 1, LeafColumns.All, Cancel)).Rows.Length);
        Assert.Equal([false, false, false, false], HaveValues(await follow.ReadCopiesAsync(1, 0, 10, LeafColumns.Trees, Cancel)));
        Assert.Equal([false, false, true, false], HaveValues(await follow.ReadCopiesAsync(1, 0, 10, LeafColumns.Lists, Cancel)));
        CopyBatch withValues = await follow.ReadCopiesAsync(1, 0, 10, LeafColumns.Values, Cancel);
        Assert.Equal([true, true, true, false], HaveValues(withValues));
        Assert.Equal(Octets("value of a"), withValues.Value(0).ToArray());
    }

    [Trait("Level", "Deep")]
    [Fact]
    public async Task A_page_of_copies_ends_where_values_come_to_too_much()
    {
        const int Values = 20;
        // A page ends with the row whose value makes the page exceed 16 MiB.
        const int Fitting = 17;
        Lease lease = await StartLogAsync();
        string[] keys = [.. Enumerable.Range(0, Values).Select(i => $"key {i}")];
        foreach (string key in keys)
        {
            _ = await AcceptOneAsync(Item(key, new string(key[^1], 1 << 20)));
        }
        await PublishPendingAsync(lease, 1);
        _ = await Pipeline.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        CopyBatch copies = await CopiesAsync(1, 0, [.. keys.Select(key => (key, 1UL))]);
        Assert.Equal(StageResult.Staged, await Pipeline.StageCopiesAsync(lease, copies, Cancel));

        CopyBatch page = await Pipeline.ReadCopiesAsync(1, 0, 100, LeafColumns.All, Cancel);
        Assert.Equal(Fitting, page.Rows.Length);
        AssertSameCopies(copies.From(Fitting), await Pipeline.ReadCopiesAsync(1, page.End, 100, LeafColumns.All, Cancel));
        Assert.Equal(Fitting, (await Pipeline.ReadCopiesAsync(1, 0, 100, LeafColumns.Values, Cancel)).Rows.Length);
        // Values that the caller did not ask for do not count towards the page's limit.
        Assert.Equal(Values, (await Pipeline.ReadCopiesAsync(1, 0, 100, LeafColumns.Lists, Cancel)).Rows.Length);
        Assert.Equal(Values, (await Pipeline.ReadCopiesAsync(1, 0, 100, LeafColumns.Trees, Cancel)).Rows.Length);
        await using MaintenanceStore store = await Fixture.Provider.OpenMaintenanceAsync(ConnectionString, Cancel);
        await using ConsistentRead read = await store.OpenConsistentReadAsync(Cancel);
        Assert.Equal(Fitting, (await read.ReadCopiesAsync(1, 0, 100, Cancel)).Count);
        Assert.Equal(Values - Fitting, (await read.ReadCopiesAsync(1, Fitting, 100, Cancel)).Count);
        Assert.Equal(Fitting, (await read.ReadLeavesAsync(0, 0, 100, Cancel)).Count);
        Assert.Equal(Values - Fitting, (await read.ReadLeavesAsync(1, Fitting, 100, Cancel)).Count);
        Assert.Equal(Fitting, (await Pipeline.ReadLeavesAsync(1, 0, 100, Cancel)).Count);
        Assert.Equal([(1UL, 18, true), (1UL, 19, true)],
            (await Pipeline.ReadLeavesAsync(1, 18, 100, Cancel)).Select(leaf => (leaf.Epoch, leaf.Ordinal, leaf.Value is not null)));
    }

    [Fact]
    public async Task Copies_follow_each_other_under_the_fence_or_are_not_staged()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "1"), Item("b", "2"));
        CopyBatch copies = await CopiesAsync(1, 0, ("a", 1), ("b", 1));
        Assert.Equal(StageResult.Fenced, await Pipeline.StageCopiesAsync(lease, copies, Cancel));
        _ = await Pipeline.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        Assert.Equal(StageResult.Fenced, await Pipeline.StageCopiesAsync(lease, copies with { First = 1 }, Cancel));
        Assert.Equal(StageResult.Fenced, await Pipeline.StageCopiesAsync(lease, copies with { Period = 2 }, Cancel));
        Assert.Equal(StageResult.Fenced, await Pipeline.StageCopiesAsync(lease with { Fence = lease.Fence + 1 }, copies, Cancel));
        Assert.Equal(StageResult.Fenced, await Pipeline.StageCopiesAsync(lease with { Holder = "another" }, copies, Cancel));
        Assert.Equal(0, await Pipeline.CountCopiesAsync(1, Cancel));

        Assert.Equal(StageResult.Staged, await Pipeline.StageCopiesAsync(lease, copies, Cancel));
        // The store refuses the same rows again, because their numbers do not follow the stored rows.
        Assert.Equal(StageResult.Fenced, await Pipeline.StageCopiesAsync(lease, copies, Cancel));
        Assert.Equal(StageResult.Staged, await Pipeline.StageCopiesAsync(lease, copies with { First = 2 }, Cancel));
        Assert.Equal(4, await Pipeline.CountCopiesAsync(1, Cancel));

        // The next holder of the lease can continue after the staged rows, but the previous holder can no longer stage rows.
        await Pipeline.ReleaseLeaseAsync(lease, Cancel);
        PipelineStore other = await OpenPipelineAsync();
        Lease second = await LeaseAsync(other, "second");
        CopyBatch next = copies with { First = await other.CountCopiesAsync(1, Cancel) };
        Assert.Equal(StageResult.Fenced, await Pipeline.StageCopiesAsync(lease, next, Cancel));
        Assert.Equal(StageResult.Staged, await other.StageCopiesAsync(second, next, Cancel));
        Assert.Equal(6, await other.CountCopiesAsync(1, Cancel));
    }

    [Fact]
    public async Task A_copy_needs_a_source_that_has_its_value()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "1"));
        await PublishAsync(lease, 2, Item("a", "2"), Item("b", "1"));
        _ = await Pipeline.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        CopyBatch erased = await CopiesAsync(1, 0, ("b", 2), ("a", 1));
        CopyBatch control = await CopiesAsync(1, 0, ("b", 2), ("a", 2));
        CopyBatch nowhere = control with { Sources = new[] { control.Sources.Span[0], control.Sources.Span[1] with { Ordinal = 77 } } };
        await EraseAsync(lease, 3, "a", (1, "a"));
        Assert.Equal(StageResult.SourceErased, await Pipeline.StageCopiesAsync(lease, erased, Cancel));
        Assert.Equal(StageResult.SourceErased, await Pipeline.StageCopiesAsync(lease, nowhere, Cancel));
        Assert.Equal(0, await Pipeline.CountCopiesAsync(1, Cancel));
        Assert.Equal(StageResult.Staged, await Pipeline.StageCopiesAsync(lease, control, Cancel));
    }

    [Fact]
    public async Task A_copy_is_erased_with_what_it_was_made_of()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "first"), Item("b", "other"), Item("c", "third"));
        await PublishAsync(lease, 2, Item("a", "second"));
        _ = await Pipeline.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        CopyBatch copies = await CopiesAsync(1, 0, ("a", 1), ("b", 1), ("a", 2), ("c", 1));
        Assert.Equal(StageResult.Staged, await Pipeline.StageCopiesAsync(lease, copies, Cancel));
        Guid request = await EraseAsync(lease, 3, "a", (1, "a"));
        IFollowStore follow = await OpenFollowAsync();
        CopyBatch left = await follow.ReadCopiesAsync(1, 0, 10, LeafColumns.All, Cancel);
        Assert.Equal([false, true, true, true], HaveValues(left));
        Assert.Equal(copies.Sources.ToArray(), left.Sources.ToArray());
        Assert.DoesNotContain("first", Encoding.UTF8.GetString(left.Values.Span), StringComparison.Ordinal);

        // Followers read an erasure for each row that had the value, even for a row that a later row superseded, because they may not have
        // read the later row yet. The erasure's receipt names only the requested version, because none of its copies is public yet.
        IReadOnlyList<StoredErasure> erasures = await follow.ReadErasuresAsync(3, 3, Cancel);
        Assert.Equal([(1UL, null, 0), (0UL, 1UL, 0)],
            erasures.Select(erasure =>
                (erasure.Erasure.Epoch, erasure.Erasure.Period, erasure.Erasure.Period is null ? 0 : erasure.Erasure.Ordinal)));
        Assert.All(erasures, erasure => Assert.Equal(new LeafOrigin(request, 0), erasure.Erasure.Origin));
        Assert.Equal(copies.Rows.Span[0].Label.ToArray(), erasures[1].Label.ToArray());
        Assert.Equal([new ErasedVersion(StructureId.Keys, 0, 1, 1)], await Accept.ReadReceiptAsync(3, request, Cancel));

        // An erasure that names a copy also erases the value of the leaf from which the copy was made.
        (EpochCommit commit, _) = await ErasingAsync(4, "a");
        Erasure copy = new(0, 2, erasures[0].Erasure.Origin) { Period = 1 };
        EpochCommit Named(Erasure erasure) =>
            commit with { Erasures = [erasure with { Origin = new LeafOrigin(commit.Outcomes[0].RequestId, 0) }] };
        foreach (Erasure bad in new[] { copy with { Period = null }, copy with { Period = 0 }, copy with { Epoch = 2 } })
        {
            await Assert.ThrowsAsync<ArgumentException>(() => Pipeline.CommitEpochAsync(lease, Named(bad), Cancel));
        }
        foreach (Erasure gone in new[] { copy with { Ordinal = 0 }, copy with { Ordinal = 4 }, copy with { Ordinal = 77 },
            copy with { Period = 2 } })
        {
            Assert.Equal(CommitResult.Fenced, await Pipeline.CommitEpochAsync(lease, Named(gone), Cancel));
        }
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, Named(copy), Cancel));
        Assert.Equal([false, true, false, true], HaveValues(await Pipeline.ReadCopiesAsync(1, 0, 10, LeafColumns.All, Cancel)));
        Assert.Equal([false], (await FindAsync((2, "a"))).Select(place => place!.HasValue));
        Assert.Equal(2, (await Pipeline.ReadUnpublishedAsync(Cancel))!.Erasures.Count);
    }

    [Fact]
    public async Task A_copy_is_found_by_its_label_and_its_last_row_counts()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "first"), Item("b", "other"), Item("c", "list") with { Structure = StructureId.Devices });
        await PublishAsync(lease, 2, Item("a", "second"));
        _ = await Pipeline.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        CopyBatch copies = await CopiesAsync(1, 0, ("a", 1), ("b", 1), ("c", 1), ("a", 2), ("b", 0));
        // The index has only the beginning of each label, but two labels with the same beginning and different ends belong to different
        // keys.
        byte[] alike = LabelOf("c", 1UL << 32);
        alike[^1] ^= 1;
        CopyBatch other = Changed(await CopiesAsync(1, 5, ("c", 1)), (ref LeafRow row) => row.Label = alike);
        Assert.Equal(StageResult.Staged, await Pipeline.StageCopiesAsync(lease, copies, Cancel));
        Assert.Equal(StageResult.Staged, await Pipeline.StageCopiesAsync(lease, other, Cancel));
        await EraseAsync(lease, 3, "a", (1, "a"));

        LeafName Name(string key, StructureId structure = StructureId.Keys) => new(0, structure, LabelOf(key, 1UL << 32)) { Period = 1 };
        LeafPlace?[] expected =
        [
            new(0, 3, HasValue: true) { Period = 1 },
            null,
            new(0, 2, HasValue: true) { Period = 1 },
            new(0, 5, HasValue: true) { Period = 1 },
            null,
            null,
            null,
        ];
        LeafName list = Name("c", StructureId.Devices);
        Assert.Equal(
            expected,
            await Pipeline.FindLeavesAsync(
                [Name("a"), Name("b"), list, list with { Label = alike }, Name("c"), Name("x"), list with { Period = 2 }], Cancel));
        Assert.Equal(Octets("second"), (await Pipeline.ReadValueAsync(expected[0]!, Cancel))?.ToArray());
        Assert.Null(await Pipeline.ReadValueAsync(expected[0]! with { Ordinal = 0 }, Cancel));

        // An erasure of the copied version also deletes the copy's value, but the copy keeps its place.
        await PublishAsync(lease, 4, Item("a", "third"));
        await EraseAsync(lease, 5, "a", (2, "a"));
        Assert.Equal([expected[0]! with { HasValue = false }], await Pipeline.FindLeavesAsync([Name("a")], Cancel));
    }

    [Fact]
    public async Task Of_staging_a_value_and_erasing_it_at_once_no_copy_is_left()
    {
        Lease lease = await StartLogAsync();
        PipelineStore other = await OpenPipelineAsync();
        _ = await Pipeline.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        const int Rounds = 8;
        var results = new List<StageResult>();
        for (ulong epoch = 1; epoch <= 3 * Rounds; epoch += 3)
        {
            await PublishAsync(lease, epoch, Item("a", "1"));
            await PublishAsync(lease, epoch + 1, Item("a", "2"));
            CopyBatch copies = await CopiesAsync(1, await Pipeline.CountCopiesAsync(1, Cancel), ("a", epoch));
            (EpochCommit commit, _) = await ErasingAsync(epoch + 2, "a", (epoch, "a"));
            Task<StageResult> staging = Task.Run(() => other.StageCopiesAsync(lease, copies, Cancel), Cancel);
            Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, commit, Cancel));
            results.Add(await staging);
            await SignAndPublishAsync(lease, epoch + 2);
        }
        Assert.All(results, result => Assert.True(result is StageResult.Staged or StageResult.SourceErased, $"{result}"));
        CopyBatch left = await Pipeline.ReadCopiesAsync(1, 0, 100, LeafColumns.All, Cancel);
        Assert.Equal(results.Count(result => result == StageResult.Staged), left.Rows.Length);
        Assert.DoesNotContain(true, HaveValues(left));
    }

    [Fact]
    public async Task Copies_that_contradict_themselves_are_the_callers_error()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "1"));
        _ = await Pipeline.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        CopyBatch good = await CopiesAsync(1, 0, ("a", 1));
        CopyBatch drop = await CopiesAsync(1, 0, ("a", 0));
        CopyBatch[] bad =
        [
            good with { Period = 0 },
            good with { First = -1 },
            good with { First = int.MaxValue },
            good with { Rows = default },
            good with { Sources = default },
            good with { KeyEnds = new[] { 0 } },
            good with { KeyEnds = new[] { 2 } },
            good with { Sources = new[] { new CopySource(1, 0, 0) } },
            good with { Sources = new CopySource[1] },
            good with { Values = default },
            Changed(good, (ref LeafRow row) => row.Epoch = 1),
            Changed(good, (ref LeafRow row) => row.Version = 2),
            Changed(good, (ref LeafRow row) => row.Structure = StructureId.Usernames),
            Changed(good, (ref LeafRow row) => row.ValueOffset = LeafRow.NoValue),
            Changed(drop, (ref LeafRow row) => row.Version = 1),
            Changed(drop, (ref LeafRow row) => row.Commitment = row.Label),
            Changed(drop, (ref LeafRow row) => row.ValueOffset = 0),
        ];
        foreach (CopyBatch copies in bad)
        {
            await Assert.ThrowsAsync<ArgumentException>(() => Pipeline.StageCopiesAsync(lease, copies, Cancel));
        }
        Assert.Equal(StageResult.Staged, await Pipeline.StageCopiesAsync(lease, good, Cancel));
        Assert.Equal(StageResult.Staged, await Pipeline.StageCopiesAsync(lease, drop with { First = 1 }, Cancel));
    }

    [Fact]
    public async Task The_tool_reads_imports_and_restores_copies()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "1"), Item("b", "2"), Item("c", "3"), Item("d", "4"));
        _ = await Pipeline.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        CopyBatch copies = await CopiesAsync(1, 0, ("a", 1), ("b", 1), ("x", 0));
        await using MaintenanceStore source = await Fixture.Provider.OpenMaintenanceAsync(ConnectionString, Cancel);
        // A restore adds the rows that the database lacks, which are all rows of the batch, some of them, or none.
        CopyBatch first = copies with
        {
            Rows = copies.Rows[..1],
            Sources = copies.Sources[..1],
            KeyEnds = copies.KeyEnds[..1],
            Keys = copies.Keys[..1],
        };
        Assert.Equal(StageResult.Fenced, await source.RestoreCopiesAsync(lease, copies.From(1), Cancel));
        Assert.Equal(StageResult.Staged, await source.RestoreCopiesAsync(lease, first, Cancel));
        Assert.Equal(StageResult.Staged, await source.RestoreCopiesAsync(lease, copies, Cancel));
        Assert.Equal(StageResult.Staged, await source.RestoreCopiesAsync(lease, copies, Cancel));
        Assert.Equal(StageResult.Fenced,
            await source.RestoreCopiesAsync(lease with { Fence = lease.Fence + 1 }, copies with { First = 3 }, Cancel));
        // This row has no value, as if the value had been erased after the row was staged.
        int[] keyEnds = [0, 1, 1];
        CopyBatch others = await CopiesAsync(1, 3, ("c", 1), ("d", 1), ("y", 0));
        CopyBatch without = Changed(others with { Keys = others.Keys[1..], KeyEnds = keyEnds },
            (ref LeafRow row) => (row.ValueOffset, row.ValueLength) = (LeafRow.NoValue, 0));
        await Assert.ThrowsAsync<ArgumentException>(() => source.StageCopiesAsync(lease, without, Cancel));
        Assert.Equal(StageResult.Staged, await source.RestoreCopiesAsync(lease, without, Cancel));

        string other = await Fixture.CreateMigratedAsync(Cancel);
        try
        {
            await using MaintenanceStore target = await Fixture.Provider.OpenMaintenanceAsync(other, Cancel);
            await CopyAsync(source, target, commit: true);
            await using ConsistentRead read = await target.OpenConsistentReadAsync(Cancel);
            IReadOnlyList<StoredCopy> stored = await read.ReadCopiesAsync(0, 0, 100, Cancel);
            Assert.Equal(Enumerable.Range(0, 6).Select(i => (1UL, i)), stored.Select(copy => (copy.Period, copy.Number)));
            Assert.Equal([true, true, false, false, true, false], stored.Select(copy => copy.Value is not null));
            Assert.Equal(copies.Sources.ToArray(), stored.Take(3).Select(copy => copy.Source));
            Assert.Equal(4, Assert.Single(await read.ReadCopiesAsync(1, 4, 1, Cancel)).Number);
            Assert.Equal(3, await read.CountCopyValuesAsync(Cancel));
            AssertSameCopies(copies, await target.ReadCopiesAsync(1, 0, 3, LeafColumns.All, Cancel));
            Assert.Equal(PeriodState.Next, (await target.ReadPeriodsAsync(Cancel))[1].State);
        }
        finally
        {
            await Fixture.DropAsync(other);
        }
    }

    [Fact]
    public async Task Of_a_keys_rows_the_last_one_alone_keeps_its_value()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "first"), Item("b", "gone"), Item("c", "same"),
            Item("l", "list") with { Structure = StructureId.Devices });
        await PublishAsync(lease, 2, Item("a", "second"));
        _ = await Pipeline.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        CopyBatch first = await CopiesAsync(1, 0, ("a", 1), ("b", 1), ("c", 1), ("l", 1));
        Assert.Equal(StageResult.Staged, await Pipeline.StageCopiesAsync(lease, first, Cancel));
        Assert.Empty(await Pipeline.ReadSupersededAsync(1, 0, int.MaxValue, Cancel));
        Assert.Equal([true, true, true, true], HaveValues(await Pipeline.ReadCopiesAsync(1, 0, 10, LeafColumns.All, Cancel)));
        // The same label in another structure belongs to a different key, so this row supersedes nothing.
        CopyBatch other = Changed(await CopiesAsync(1, 4, ("c", 0)), (ref LeafRow row) => row.Structure = StructureId.Devices);
        Assert.Equal(StageResult.Staged, await Pipeline.StageCopiesAsync(lease, other, Cancel));
        Assert.Equal(StageResult.Staged, await Pipeline.StageCopiesAsync(lease, await CopiesAsync(1, 5, ("a", 2), ("b", 0)), Cancel));
        CopyBatch left = await Pipeline.ReadCopiesAsync(1, 0, 10, LeafColumns.All, Cancel);
        Assert.Equal([false, false, true, true, false, true, false], HaveValues(left));
        Assert.DoesNotContain("first", Encoding.UTF8.GetString(left.Values.Span), StringComparison.Ordinal);
        Assert.DoesNotContain("gone", Encoding.UTF8.GetString(left.Values.Span), StringComparison.Ordinal);
        Assert.Equal([0, 1], await Pipeline.ReadSupersededAsync(1, 0, int.MaxValue, Cancel));
        Assert.Equal([0], await Pipeline.ReadSupersededAsync(1, 5, 5, Cancel));

        // The period has begun. The erasure's receipt still omits a superseded copy that was erased with its source, because that copy is
        // not a version of the period.
        Assert.Equal(CommitResult.Committed,
            await Pipeline.CommitEpochAsync(lease, Commit(3, []) with { Period = 1, Switch = new PeriodSwitch(1, 7) }, Cancel));
        await SignAndPublishAsync(lease, 3);
        Guid request = await EraseAsync(lease, 4, "b", (1, "b"), (1, "a"));
        Assert.Equal([0, 1], (await Pipeline.ReadErasuresAsync(4, 4, Cancel)).Where(erasure => erasure.Erasure.Period == 1)
            .Select(erasure => erasure.Erasure.Ordinal).Order());
        Assert.Equal([(0UL, 1UL, 1UL), (0UL, 1UL, 1UL)],
            (await Accept.ReadReceiptAsync(4, request, Cancel)).Select(erased => (erased.Period, erased.Version, erased.Epoch)));
    }

    [Fact]
    public async Task An_import_takes_no_value_of_a_row_whose_place_another_took()
    {
        Lease lease = await StartLogAsync();
        await PublishAsync(lease, 1, Item("a", "first"), Item("b", "other"));
        await PublishAsync(lease, 2, Item("a", "second"));
        _ = await Pipeline.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        CopyBatch copies = await CopiesAsync(1, 0, ("a", 1), ("b", 1), ("a", 2));
        Assert.Equal(StageResult.Staged, await Pipeline.StageCopiesAsync(lease, copies, Cancel));
        await using MaintenanceStore source = await Fixture.Provider.OpenMaintenanceAsync(ConnectionString, Cancel);
        string other = await Fixture.CreateMigratedAsync(Cancel);
        try
        {
            await using MaintenanceStore target = await Fixture.Provider.OpenMaintenanceAsync(other, Cancel);
            await using ConsistentRead read = await source.OpenConsistentReadAsync(Cancel);
            StoredCopy[] rows = [.. await read.ReadCopiesAsync(0, 0, 100, Cancel)];
            Assert.Null(rows[0].Value);
            // The test gives a superseded row its value, because an earlier version of optiks-db exported superseded rows with their
            // values.
            rows[0] = rows[0] with { Value = rows[1].Value };
            await using (StorageImport import = await target.BeginImportAsync(Cancel))
            {
                await import.AddPeriodsAsync(await read.ReadPeriodsAsync(Cancel), Cancel);
                await import.AddEpochsAsync(await read.ReadEpochsAsync(0, 100, Cancel), Cancel);
                await import.AddCopiesAsync(rows[..2], Cancel);
                await import.AddCopiesAsync(rows[2..], Cancel);
                await import.CommitAsync(await read.ReadHeadAsync(Cancel), Cancel);
            }
            Assert.Equal([false, true, true], HaveValues(await target.ReadCopiesAsync(1, 0, 10, LeafColumns.All, Cancel)));
        }
        finally
        {
            await Fixture.DropAsync(other);
        }
    }

    private delegate void Change(ref LeafRow row);

    // Returns copies whose first row is changed.
    private static CopyBatch Changed(CopyBatch copies, Change change)
    {
        LeafRow[] rows = copies.Rows.ToArray();
        change(ref rows[0]);
        return copies with { Rows = rows };
    }

    private static IEnumerable<bool> HaveValues(CopyBatch copies) =>
        copies.Rows.ToArray().Select(row => row.ValueOffset != LeafRow.NoValue);
}
