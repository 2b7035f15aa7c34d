using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.Storage.Tests;

/// <summary>
/// Tests the replay of a log of three periods, whose copies supersede each other and whose users leave. The tests replay from every epoch
/// to every later epoch, with restarts, and keep all values, only device lists, or no values.
/// </summary>
public sealed class PeriodReplayTests : IAsyncLifetime
{
    private const ulong FirstSwitch = 5;
    private const ulong SecondSwitch = 8;
    private const ulong Newest = 9;

    private readonly string _folder = Directory.CreateTempSubdirectory("optiks-replay-").FullName;
    private TestLog? _log;
    private IFollowStore? _store;

    // Whether new trees are in stored mode.
    private bool _isStored;
    private int _numStores;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private TestLog Log => _log!;

    private string Snapshot => Path.Combine(_folder, "snapshot");

    public async ValueTask InitializeAsync()
    {
        _log = await TestLog.CreateAsync();
        await Log.PublishItemsAsync([Name("al", "alice"), List("alice", "a"), Key("a", "a1"), Key("b", "b1"), Key("plain", "p1")]);
        await Log.BeginNextAsync();
        await Log.StageAsync("a", "plain");
        await Log.PublishItemsAsync([Name("bo", "bob"), List("bob", "b"), Key("a", "a2")]);
        await Log.StageAsync([(StructureId.Keys, "b"), (StructureId.Devices, "bob"), (StructureId.Keys, "a")]);
        await Log.PublishItemsAsync([TestLog.Item(StructureId.Decommissioned, "bob", [1])]);
        await Log.StageAsync([(StructureId.Devices, "-bob"), (StructureId.Keys, "-b")]);
        await Log.PublishItemsAsync([Key("plain", "p2")]);
        await Log.StageAllAsync();
        await Log.SwitchAsync();
        await Log.PublishItemsAsync([Key("a", "a3"), Key("new", "n1"), Name("ca", "carol"), List("alice", "a", "new")]);
        await Log.PublishAsync();
        await Log.NextPeriodAsync();
        await Log.PublishItemsAsync([Key("a", "a4"), Name("da", "dan")]);
        _store = await SampleLog.OpenAsync(Log);
    }

    public async ValueTask DisposeAsync()
    {
        await _store!.DisposeAsync();
        await Log.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    [Theory]
    [InlineData(KeptValues.All, false)]
    [InlineData(KeptValues.All, true)]
    [InlineData(KeptValues.Lists, false)]
    [InlineData(KeptValues.None, false)]
    public async Task Every_epoch_is_loaded_and_followed_across_switches(KeptValues values, bool isStored)
    {
        _isStored = isStored;
        for (ulong loaded = 0; loaded <= Newest; loaded++)
        {
            using LogReplay replay = await LoadAsync(loaded, values);
            AssertAt(replay, loaded);
            if (loaded < Newest)
            {
                Assert.Null(await replay.FollowAsync(Newest, beforeCommit: null, Cancel));
            }
            AssertAt(replay, Newest);
        }
        if (values != KeptValues.All)
        {
            return;
        }
        using LogReplay newest = await LoadAsync(Newest, values);
        Assert.Equal(["a4", "-", "p2", "n1"], Values(newest, "a", "b", "plain", "new"));
    }

    [Fact]
    public async Task A_load_goes_through_the_switches_of_trees_that_began_before()
    {
        var ended = new List<ulong>();
        using LogReplay replay = ReplayOf(
            _store!, MakeTrees(Row(0), KeptValues.All), KeptValues.All, (trees, last) => End(ended, trees, last));
        Assert.Null(await replay.LoadAsync(Newest, Cancel));
        AssertAt(replay, Newest);
        Assert.Equal([FirstSwitch - 1, SecondSwitch - 1], ended);
    }

    // Prepares the next period's trees in steps of `maxRows` leaves until all names are loaded, and then adds some copies.
    private static async Task PrepareAsync(LogReplay replay, int maxRows)
    {
        do
        {
            ulong? names = replay.Next?.Epoch;
            Assert.Null(await replay.PrepareNextAsync(maxRows, Cancel));
            Assert.True(replay.Next is null || replay.Next.Epoch == replay.Last.Epoch || names is null || replay.Next.Epoch > names);
        }
        while (replay.Next?.Epoch < replay.Last.Epoch);
        Assert.Null(await replay.PrepareNextAsync(maxRows, Cancel));
    }

    [Theory]
    [InlineData(1, false)]
    [InlineData(2, false)]
    [InlineData(1000, false)]
    [InlineData(1, true)]
    [InlineData(2, true)]
    [InlineData(1000, true)]
    public async Task Trees_that_are_prepared_meanwhile_begin_their_period(int maxRows, bool isStored)
    {
        _isStored = isStored;
        var ended = new List<ulong>();
        using LogReplay replay = ReplayOf(
            _store!, MakeTrees(Row(0), KeptValues.All), KeptValues.All, (trees, last) => End(ended, trees, last));
        Assert.Null(await replay.LoadAsync(0, Cancel));
        for (ulong epoch = 1; epoch <= Newest; epoch++)
        {
            int copies = replay.NextCopies;
            await PrepareAsync(replay, maxRows);
            Assert.InRange(replay.NextCopies, copies, copies + (2 * maxRows));
            // The log has three periods and no row of a fourth one, so after the third period there are no next trees.
            Assert.Equal(replay.Trees.Period < 2 ? replay.Trees.Period + 1 : null, replay.NextPeriod?.Period);
            Assert.Equal(replay.Next?.Epoch, replay.Next is null ? null : epoch - 1);
            Assert.Null(await replay.FollowAsync(epoch, beforeCommit: null, Cancel));
            AssertAt(replay, epoch);
        }
        Assert.Equal([FirstSwitch - 1, SecondSwitch - 1], ended);
        Assert.Null(replay.Next);
        Assert.Equal(["a4", "-", "p2", "n1"], Values(replay, "a", "b", "plain", "new"));
    }

    [Theory]
    [InlineData(KeptValues.All)]
    [InlineData(KeptValues.Lists)]
    [InlineData(KeptValues.None)]
    public async Task Copies_that_were_read_for_another_purpose_are_taken_where_they_follow(KeptValues values)
    {
        using LogReplay replay = ReplayOf(_store!, MakeTrees(Row(0), values), values);
        Assert.Null(await replay.LoadAsync(0, Cancel));
        int taken = 0;
        for (ulong epoch = 1; epoch <= Newest; epoch++)
        {
            ulong next = replay.Trees.Period + 1;
            int had = replay.NextCopies;
            if (replay.Next is null)
            {
                Assert.Null(await replay.TakeNextAsync(await ReadAsync(next, had, 1000)));
                Assert.Equal(had, replay.NextCopies);
            }
            do
            {
                Assert.Null(await replay.PrepareNextAsync(1, Cancel));
            }
            while (replay.Next?.Epoch < replay.Last.Epoch);
            CopyBatch one = await ReadAsync(next, replay.NextCopies, 1);
            if (!one.Rows.IsEmpty)
            {
                Assert.Null(await replay.TakeNextAsync(one with { Period = next + 1 }));
                Assert.Equal(one.First, replay.NextCopies);
                Assert.Null(await replay.TakeNextAsync(one));
                Assert.Equal(one.End, replay.NextCopies);
                // If the replay gets the same batch again, it does not add the batch's rows again.
                Assert.Null(await replay.TakeNextAsync(one));
                Assert.Equal(one.End, replay.NextCopies);
                taken++;
            }
            Assert.Null(await replay.FollowAsync(epoch, beforeCommit: null, Cancel));
            AssertAt(replay, epoch);
        }
        Assert.True(taken >= 5);

        Task<CopyBatch> ReadAsync(ulong period, int first, int max) => _store!.ReadCopiesAsync(period, first, max, LeafColumns.All, Cancel);
    }

    [Fact]
    public async Task Steps_have_the_proofs_of_the_switch_and_may_be_dropped()
    {
        using LogReplay replay = await LoadAsync(FirstSwitch - 1, KeptValues.None);
        EpochRow row = await _store!.ReadEpochAsync(FirstSwitch, Cancel);
        Assert.False(replay.TryStage(row, [], [], withProofs: true, out _, out Refused? refused));
        Assert.Equal("Epoch 5 begins period 1, whose trees were not made.", refused.Why);
        await PrepareAsync(replay, 1);
        Assert.False(replay.TryStage(row, [], [], withProofs: true, out _, out refused));
        Assert.StartsWith("The leaves up to epoch 5 do not give its record's root", refused.Why, StringComparison.Ordinal);
        await PrepareAsync(replay, 1000);
        for (int i = 0; i < 2; i++)
        {
            Assert.True(replay.TryStage(row, [], [], withProofs: true, out ReplayStep? dropped, out _));
            dropped.Dispose();
            AssertAt(replay, FirstSwitch - 1);
        }
        Assert.True(replay.TryStage(row, [], [], withProofs: true, out ReplayStep? step, out _));
        using (step)
        {
            byte[] proof = step.AuditProof();
            Assert.Equal(
                await File.ReadAllBytesAsync(Path.Combine(Log.Folder.Board, "log", Tlog.AuditProofPath.ForEpoch(FirstSwitch)), Cancel),
                proof);
            step.Commit();
        }
        AssertAt(replay, FirstSwitch);
    }

    [Fact]
    public async Task Snapshots_of_every_epoch_are_gone_on_from()
    {
        for (ulong saved = 1; saved <= Newest; saved++)
        {
            using (LogReplay replay = await LoadAsync(saved, KeptValues.All, Path.Combine(_folder, "leaves")))
            using (DirectoryView view = replay.Trees.Directory.TakeView())
            {
                view.Save(Snapshot);
            }
            for (ulong target = saved; target <= Newest; target++)
            {
                using DirectorySecrets secrets = SecretsOf(RowAt(saved));
                LogTrees trees = LogTrees.TryRestore(
                    Options(RowAt(saved), secrets, KeptValues.All, Path.Combine(_folder, "leaves"), hasBegun: true), Snapshot,
                    out Refused? refused)!;
                Assert.Null(refused);
                using LogReplay restored = ReplayOf(_store!, trees, KeptValues.All);
                Assert.Null(await restored.LoadAsync(target, Cancel));
                Assert.Equal(saved, restored.RestoredEpoch);
                AssertAt(restored, target);
            }
        }
    }

    [Fact]
    public async Task Trees_without_secrets_follow_switches()
    {
        using var replay = new LogReplay(_store!, Log.Anchor, LogTrees.CreateWithoutSecrets(Log.Anchor.Configuration), LogRoots.Computed)
        {
            NextTrees = period => LogTrees.CreateWithoutSecrets(Log.Anchor.Configuration, period.Period),
        };
        Assert.Null(await replay.LoadAsync(Newest, Cancel));
        Assert.Null(replay.Trees.Match(EpochRecord.Decode(Log.Records[(int)Newest].Record.Span)));
        using var none = new LogReplay(_store!, Log.Anchor, LogTrees.CreateWithoutSecrets(Log.Anchor.Configuration), LogRoots.Computed);
        Assert.Equal("Epoch 5 begins period 1, but its trees are not being made here.", (await none.LoadAsync(Newest, Cancel))!.Why);
    }

    [Theory]
    [InlineData("commitment")]
    [InlineData("missing")]
    [InlineData("first")]
    public async Task Copies_that_are_not_those_of_the_record_are_refused(string damage)
    {
        var edited = new EditedStore(_store!);
        switch (damage)
        {
            case "commitment":
                edited.Copies = batch => batch with { Rows = Changed(batch) };
                break;
            case "missing":
                edited.Copies = batch => batch with { Rows = batch.Rows[..Math.Max(0, Math.Min(batch.Rows.Length, 3 - batch.First))] };
                break;
            default:
                edited.Periods = rows => rows.Select(row => row.Period == 1 ? row with { FirstEpoch = FirstSwitch + 1 } : row);
                break;
        }
        using (LogReplay loaded = ReplayOf(edited, MakeTrees(Row(1), KeptValues.None), KeptValues.None))
        {
            Assert.NotNull(await loaded.LoadAsync(FirstSwitch, Cancel));
        }
        using LogReplay replay = ReplayOf(edited, MakeTrees(Row(0), KeptValues.None), KeptValues.None);
        Assert.Null(await replay.LoadAsync(FirstSwitch - 1, Cancel));
        Assert.NotNull(await replay.FollowAsync(Newest, beforeCommit: null, Cancel));
        AssertAt(replay, FirstSwitch - 1);
        // Now the store shows the right rows again. The refused replay still has the wrong rows, so the test loads the log again, as a
        // query-service would.
        using LogReplay control = await LoadAsync(FirstSwitch, KeptValues.None);
        AssertAt(control, FirstSwitch);
    }

    [Fact]
    public async Task Copies_after_the_end_of_the_load_are_refused_in_stored_mode()
    {
        _isStored = true;
        CopyBatch copies = await _store!.ReadCopiesAsync(1, 0, 1000, LeafColumns.All, Cancel);
        using LogTrees trees = MakeTrees(Row(1), KeptValues.All);
        Assert.Null(trees.LoadCopies(copies.Rows.Span, copies.Values.Span));
        Assert.Null(trees.EndLoad(0));
        Assert.Equal(
            "Period 1 has more copies than those with which it begins.", trees.LoadCopies(copies.Rows.Span, copies.Values.Span)!.Why);
    }

    [Fact]
    public async Task A_period_that_has_not_begun_is_not_loaded()
    {
        using LogReplay replay = ReplayOf(_store!, MakeTrees(Row(1), KeptValues.All), KeptValues.All);
        Assert.Equal("Period 1 has not begun at epoch 4, although the database's rows say so.", (await replay.LoadAsync(4, Cancel))!.Why);
    }

    private static void End(List<ulong> ended, LogTrees trees, VerifiedEpoch last)
    {
        Assert.Null(trees.Match(last.Record));
        ended.Add(trees.Epoch);
        trees.Dispose();
    }

    // Changes the commitment of the last row in the first batch, so that it no longer fits the row's value.
    private static LeafRow[] Changed(CopyBatch batch)
    {
        LeafRow[] rows = batch.Rows.ToArray();
        if (rows.Length > 0 && batch.First == 0)
        {
            byte[] commitment = rows[^1].Commitment.ToArray();
            commitment[3] ^= 1;
            rows[^1].Commitment = commitment;
        }
        return rows;
    }

    private static AcceptItem Name(string name, string user) => TestLog.Item(StructureId.Usernames, name, Encoding.UTF8.GetBytes(user));

    private static AcceptItem List(string user, params string[] devices) =>
        TestLog.Item(StructureId.Devices, user,
            DeviceList.Encode([.. devices.Select(device => (ReadOnlyMemory<byte>)Encoding.UTF8.GetBytes(device))]));

    private static AcceptItem Key(string device, string value) => TestLog.Item(StructureId.Keys, device, Encoding.UTF8.GetBytes(value));

    private static IEnumerable<string> Values(LogReplay replay, params string[] keys)
    {
        using var names = new ByteStrings();
        foreach (string key in keys)
        {
            names.Add(Encoding.UTF8.GetBytes(key));
        }
        return replay.Trees.Directory.NewestValues(StructureId.Keys, names)
            .Select(value => value is { } octets ? Encoding.UTF8.GetString(octets.Span) : "-");
    }

    private void AssertAt(LogReplay replay, ulong epoch)
    {
        EpochRecord record = EpochRecord.Decode(Log.Records[(int)epoch].Record.Span);
        Assert.Equal((epoch, record.Period), (replay.Last.Epoch, replay.Trees.Period));
        Assert.Null(replay.Trees.Match(record));
    }

    private PeriodRow Row(ulong period) => _store!.ReadPeriodsAsync(Cancel).GetAwaiter().GetResult()[(int)period];

    private PeriodRow RowAt(ulong epoch) => Row(EpochRecord.Decode(Log.Records[(int)epoch].Record.Span).Period);

    private DirectorySecrets SecretsOf(PeriodRow period)
    {
        using var source = new FileSecretSource(Log.Folder, KeyRing.Load(Log.Folder));
        return source.UnwrapPeriod(period.WrappedSecrets.Span, period.Period, Log.Anchor.LogId.Span);
    }

    private LogTrees MakeTrees(PeriodRow period, KeptValues values, string? leafLog = null)
    {
        using DirectorySecrets secrets = SecretsOf(period);
        DirectoryOptions options = Options(period, secrets, values, leafLog, hasBegun: false);
        if (_isStored)
        {
            string store = Path.Combine(_folder, $"{_numStores++}");
            options = options with { LeafLogPath = store + ".leaves", NodeStorePath = store + ".nodes", NodeCacheBytes = 1 << 20 };
        }
        return LogTrees.Create(options, null);
    }

    private async Task<LogReplay> LoadAsync(ulong epoch, KeptValues values, string? leafLog = null)
    {
        LogReplay replay = ReplayOf(_store!, MakeTrees(RowAt(epoch), values, leafLog), values);
        Assert.Null(await replay.LoadAsync(epoch, Cancel));
        return replay;
    }

    private LogReplay ReplayOf(IFollowStore store, LogTrees trees, KeptValues values, Action<LogTrees, VerifiedEpoch>? ended = null) =>
        new(store, Log.Anchor, trees, LogRoots.Checked) { NextTrees = period => MakeTrees(period, values), Ended = ended };

    private DirectoryOptions Options(PeriodRow period, DirectorySecrets secrets, KeptValues values, string? leafLog, bool hasBegun) => new()
    {
        Secrets = secrets,
        LeafLogPath = leafLog,
        Values = values,
        Period = period.Period,
        PeriodFirstEpoch = hasBegun ? period.FirstEpoch!.Value : 0,
        MaxValueLength = Log.Anchor.Configuration.MaxValueLength,
    };
}
