using System.Globalization;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tests.Shared;
using Optiks.Tlog;

namespace Optiks.Storage.Tests;

/// <summary>
/// Tests which stored records and leaves a replay accepts as the log, and which it refuses. Each refusal has a positive control: the replay
/// accepts the same data without the fault.
/// </summary>
public sealed class LogReplayTests(SampleLog sample) : IClassFixture<SampleLog>, IAsyncLifetime
{
    private const ulong Newest = SampleLog.Newest;

    private readonly string _folder = Directory.CreateTempSubdirectory("optiks-replay-").FullName;
    private EditedStore? _store;
    private DirectorySecrets? _secrets;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private TestLog Log => sample.Log;

    private EditedStore Store => _store!;

    private string Snapshot => Path.Combine(_folder, "snapshot");

    private DirectoryOptions StoredOptions => Options with { NodeStorePath = Path.Combine(_folder, "nodes"), NodeCacheBytes = 1 << 20 };

    private DirectoryOptions Options =>
        new()
        {
            Secrets = _secrets!,
            LeafLogPath = Path.Combine(_folder, "leaves"),
            MaxValueLength = Log.Anchor.Configuration.MaxValueLength,
        };

    public async ValueTask InitializeAsync()
    {
        _store = new EditedStore(await SampleLog.OpenAsync(Log));
        using var source = new FileSecretSource(Log.Folder, KeyRing.Load(Log.Folder));
        _secrets = source.UnwrapPeriod(Log.WrappedSecrets.Span, 0, Log.Anchor.LogId.Span);
    }

    public async ValueTask DisposeAsync()
    {
        _secrets!.Dispose();
        await Store.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task A_loaded_log_is_at_the_epoch_and_follows()
    {
        for (ulong first = 0; first <= Newest; first++)
        {
            using LogReplay replay = Replay();
            Assert.Throws<InvalidOperationException>(() => replay.Last);
            Assert.Null(await replay.LoadAsync(first, Cancel));
            Assert.Null(replay.RestoredEpoch);
            for (ulong epoch = first; epoch < Newest; epoch++)
            {
                AssertAt(replay, epoch);
                Assert.Null(await replay.FollowAsync(epoch + 1, beforeCommit: null, Cancel));
            }
            AssertAt(replay, Newest);
            Assert.Equal("Epoch 4 is missing from the database.", (await replay.FollowAsync(100, beforeCommit: null, Cancel))!.Why);
        }
    }

    [Fact]
    public async Task A_replay_epoch_by_epoch_gives_the_boards_audit_proofs()
    {
        using LogReplay replay = Replay();
        Assert.Null(await replay.LoadAsync(0, Cancel));
        var proofs = new List<byte[]>();
        Assert.Null(await replay.FollowAsync(Newest, step => proofs.Add(step.AuditProof()), Cancel));
        AssertAt(replay, Newest);
        Assert.Equal(Enumerable.Range(1, (int)Newest)
            .Select(epoch => File.ReadAllBytes(Path.Combine(Log.Folder.Board, "log", AuditProofPath.ForEpoch((ulong)epoch)))), proofs);
    }

    [Fact]
    public async Task A_step_that_is_not_committed_changes_nothing()
    {
        LeafBatch leaves = await LeavesAsync(Newest);
        using LogReplay replay = Replay();
        Assert.Null(await replay.LoadAsync(Newest - 1, Cancel));
        for (int i = 0; i < 2; i++)
        {
            Assert.True(
                replay.TryStage(Log.Records[(int)Newest], leaves.Rows.Span, leaves.Values.Span, withProofs: false,
                    out ReplayStep? step, out _));
            using (step)
            {
                Assert.Equal(Newest, step.Epoch.Epoch);
                AssertAt(replay, Newest - 1);
                if (i == 1)
                {
                    step.Commit();
                }
            }
        }
        AssertAt(replay, Newest);
        Assert.False(
            replay.TryStage(Log.Records[(int)Newest], leaves.Rows.Span, leaves.Values.Span, withProofs: false, out _,
                out Refused? refused));
        Assert.Equal("Epoch 4 is missing from the database.", refused.Why);
    }

    [Fact]
    public async Task Epochs_that_come_during_a_load_are_left_for_later()
    {
        await using TestLog log = await TestLog.CreateAsync();
        await log.PublishAsync(("alice", "one"));
        await using var store =
            new EditedStore(await SampleLog.OpenAsync(log)) { BeforeLeaves = () => log.PublishAsync(("alice", "meanwhile")) };
        using var replay = new LogReplay(store, log.Anchor, LogTrees.CreateWithoutSecrets(log.Anchor.Configuration), LogRoots.Computed);
        Assert.Null(await replay.LoadAsync(1, Cancel));
        Assert.Equal((1UL, 3), (replay.Last.Epoch, log.Records.Count));
        store.BeforeLeaves = () => Task.CompletedTask;
        Assert.Null(await replay.FollowAsync(100, beforeCommit: null, Cancel));
        Assert.Equal(2UL, replay.Last.Epoch);
    }

    [Theory]
    [InlineData(0, "Epoch 0 is missing from the database.")]
    [InlineData(2, "Epoch 2 is missing from the database.")]
    [InlineData(3, "Epoch 3 is missing from the database.")]
    public async Task A_gap_in_the_records_is_refused(int missing, string why)
    {
        Store.Epochs = rows => rows.Where(row => row.Epoch != (ulong)missing);
        await RefusedAsync(why);
    }

    [Theory]
    [InlineData("length", "The record of epoch 2 has {0} bytes instead of {1}.")]
    [InlineData("log", "The record of epoch 2 belongs to another log than the trust anchor.")]
    [InlineData("epoch", "The row of epoch 2 holds the record of epoch 1.")]
    [InlineData("hash", "The record hash of epoch 2 does not match its record.")]
    [InlineData("time", "The record of epoch 2 is not valid or does not follow the previous record (record_time).")]
    [InlineData("previous", "The record of epoch 2 is not valid or does not follow the previous record (record_previous).")]
    public async Task A_record_that_does_not_follow_is_refused(string what, string why)
    {
        Store.Epochs = rows => rows.Select(row => row.Epoch == 2 ? Tamper(row, what) : row);
        await RefusedAsync(string.Format(CultureInfo.InvariantCulture, why, EpochRecord.Length - 1, EpochRecord.Length));
    }

    [Theory]
    [InlineData("root")]
    [InlineData("count")]
    public async Task A_record_of_other_roots_than_the_leaves_give_is_refused(string what)
    {
        Store.Epochs = rows => rows.Select(row => row.Epoch == Newest ? Tamper(row, what) : row);
        const string why = "The leaves up to epoch 3 do not give its record's root and count of structure 3.";
        await RefusedAsync(why);
        using LogReplay replay = Replay();
        Assert.Null(await replay.LoadAsync(Newest - 1, Cancel));
        Assert.Equal(new Refused(why), await replay.FollowAsync(Newest, beforeCommit: null, Cancel));
        AssertAt(replay, Newest - 1);
        // After the refusal, the replay follows the log if the store shows the right rows.
        Store.Epochs = rows => rows;
        Assert.Null(await replay.FollowAsync(Newest, beforeCommit: null, Cancel));
        AssertAt(replay, Newest);
    }

    [Theory]
    [InlineData("lost", "do not give its record's root and count of structure 3.")]
    [InlineData("label", "do not give its record's root and count of structure 3.")]
    [InlineData("value", "contradict each other (")]
    [InlineData("twice", "contradict each other (")]
    [InlineData("version", "contradict each other (")]
    public async Task Leaves_that_are_not_the_logs_are_refused(string what, string why)
    {
        Store.Leaves = batch => batch with { Rows = Damage(batch.Rows.ToArray(), what) };
        using LogReplay loaded = Replay();
        Refused refused = (await loaded.LoadAsync(Newest, Cancel))!;
        Assert.StartsWith($"The leaves up to epoch 3 {why}", refused.Why, StringComparison.Ordinal);
        // A replay in stored mode gives the same reason, but may find the fault only at the end of the load.
        using LogReplay stored = Stored(LogTrees.Create(StoredOptions, Snapshot));
        Assert.Equal(refused.Why, (await stored.LoadAsync(Newest, Cancel))!.Why.Replace("_load_end:", "_load:", StringComparison.Ordinal));
        using LogReplay stepping = Replay();
        Assert.Null(await stepping.LoadAsync(0, Cancel));
        Assert.StartsWith($"The leaves up to epoch 3 {why}", (await stepping.FollowAsync(Newest, beforeCommit: null, Cancel))!.Why,
            StringComparison.Ordinal);
        AssertAt(stepping, Newest - 1);
    }

    [Theory]
    [InlineData("unread")]
    [InlineData("value")]
    [InlineData("version")]
    [InlineData("label")]
    public async Task A_first_load_into_a_node_store_that_failed_begins_anew(string what)
    {
        Store.Leaves = batch => what == "unread" ? throw new TimeoutException() : batch with { Rows = Damage(batch.Rows.ToArray(), what) };
        using (LogReplay failed = Stored(LogTrees.Create(StoredOptions, Snapshot)))
        {
            await Assert.ThrowsAnyAsync<Exception>(async () => Assert.Null(await failed.LoadAsync(Newest, Cancel)));
        }
        Store.Leaves = batch => batch;
        // If only a label was changed, the node store is undamaged and can be restored, but the replay refuses it because of its roots.
        bool isWhole = what == "label";
        using (LogReplay again = Stored(LogTrees.TryRestore(StoredOptions, Snapshot, out _)!))
        {
            Assert.Equal(isWhole ? Newest : null, again.RestoredEpoch);
            Assert.Equal(isWhole, await again.LoadAsync(Newest, Cancel) is { IsSnapshot: true });
        }
        using (LogReplay anew = Stored(
            isWhole ? LogTrees.Create(StoredOptions, Snapshot) : LogTrees.TryRestore(StoredOptions, Snapshot, out _)!))
        {
            Assert.Null(await anew.LoadAsync(Newest, Cancel));
            AssertAt(anew, Newest);
        }
        using LogReplay restored = Stored(LogTrees.TryRestore(StoredOptions, Snapshot, out _)!);
        Assert.Equal(Newest, restored.RestoredEpoch);
    }

    [Fact]
    public async Task Leaves_of_an_epoch_before_are_refused()
    {
        using LogReplay replay = Replay();
        Assert.Null(await replay.LoadAsync(2, Cancel));
        Store.Leaves = batch =>
        {
            LeafRow[] rows = batch.Rows.ToArray();
            rows[0].Epoch = 1;
            return batch with { Rows = rows };
        };
        Assert.Equal("The leaves of epoch 1 are out of order.", (await replay.FollowAsync(Newest, beforeCommit: null, Cancel))!.Why);
        AssertAt(replay, 2);
    }

    [Fact]
    public async Task Another_record_than_was_served_is_a_fork()
    {
        byte[] hash = Log.Records[2].RecordHash.ToArray();
        using LogReplay same = Replay(new HighWaterMark(2, hash));
        Assert.Null(await same.LoadAsync(Newest, Cancel));
        hash[0] ^= 1;
        using LogReplay forked = Replay(new HighWaterMark(2, hash));
        Assert.Equal(
            new Refused("The database has another record for epoch 2 than was served before: the log forked, or this is another database."),
            await forked.LoadAsync(Newest, Cancel));
    }

    [Theory]
    [InlineData("", "The checkpoint of epoch 3 is not valid (checkpoint_malformed).")]
    [InlineData("before", "The checkpoint of epoch 3 does not match the records up to it.")]
    public async Task A_checkpoint_that_does_not_cover_the_records_is_refused(string what, string why)
    {
        Store.Epochs = rows => rows.Select(
            row => row.Epoch == Newest ? row with { Checkpoint = what.Length == 0 ? default : Log.Records[2].Checkpoint } : row);
        using LogReplay loaded = Replay(roots: LogRoots.Checked);
        Assert.Equal(why, (await loaded.LoadAsync(Newest, Cancel))!.Why);
        using LogReplay stepping = Replay(roots: LogRoots.Checked);
        Assert.Null(await stepping.LoadAsync(2, Cancel));
        Assert.Equal(why, (await stepping.FollowAsync(Newest, beforeCommit: null, Cancel))!.Why);
        AssertAt(stepping, 2);
        // A replay for the log's signer does not check checkpoints, no matter whether it computes roots.
        foreach (LogRoots roots in (LogRoots[])[LogRoots.Computed, LogRoots.None])
        {
            using LogReplay unsigned = Replay(roots: roots);
            Assert.Null(await unsigned.LoadAsync(Newest, Cancel));
        }
    }

    [Fact]
    public async Task A_replay_without_roots_has_none()
    {
        using LogReplay replay = Replay(roots: LogRoots.None);
        Assert.Null(await replay.LoadAsync(1, Cancel));
        for (ulong epoch = 1; ; epoch++)
        {
            Assert.Equal(epoch, replay.Last.Epoch);
            Assert.Throws<InvalidOperationException>(() => replay.Last.Root());
            Assert.Throws<InvalidOperationException>(() => replay.Last.Inclusion);
            if (epoch == Newest)
            {
                break;
            }
            Assert.Null(await replay.FollowAsync(epoch + 1, beforeCommit: null, Cancel));
        }
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public async Task A_snapshot_is_gone_on_from(int epoch)
    {
        await SaveAsync((ulong)epoch);
        LeafBatch? read = null;
        Store.Leaves = batch => read = batch;
        LogTrees? trees = LogTrees.TryRestore(Options, Snapshot, out Refused? refused);
        Assert.Null(refused);
        using var replay = new LogReplay(Store, Log.Anchor, trees!, LogRoots.Computed);
        Assert.Equal((ulong)epoch, replay.RestoredEpoch);
        Assert.Null(await replay.LoadAsync(Newest, Cancel));
        AssertAt(replay, Newest);
        Assert.Equal(epoch == 2, read is not null);
    }

    [Theory]
    [InlineData("roots", "Its roots are not those of the record of epoch 2.")]
    [InlineData("newer", "It is from epoch 4; the database's newest is 3.")]
    [InlineData("since", "The leaves up to epoch 3 do not give its record's root and count of structure 3.")]
    public async Task A_snapshot_that_does_not_lead_to_the_record_is_at_fault(string what, string why)
    {
        switch (what)
        {
            case "since":
                await SaveAsync(2);
                Store.Leaves = batch => batch with { Rows = Damage(batch.Rows.ToArray(), "lost") };
                break;
            default:
                Log.Forge(what == "newer" ? 4UL : 2, Snapshot, Options.LeafLogPath!);
                break;
        }
        using var replay = new LogReplay(Store, Log.Anchor, LogTrees.TryRestore(Options, Snapshot, out _)!, LogRoots.Computed);
        Assert.Equal(new Refused(why) { IsSnapshot = true }, await replay.LoadAsync(Newest, Cancel));
        // Without the snapshot, the replay loads the log, and no file of the snapshot is left.
        Store.Leaves = batch => batch;
        using var without = new LogReplay(Store, Log.Anchor, LogTrees.Create(Options, Snapshot), LogRoots.Computed);
        Assert.False(File.Exists(Snapshot));
        Assert.Null(await without.LoadAsync(Newest, Cancel));
    }

    [Fact]
    public async Task Records_are_the_databases_fault_with_a_snapshot_too()
    {
        await SaveAsync(2);
        foreach (int epoch in (int[])[1, 3])
        {
            Store.Epochs = rows => rows.Where(row => row.Epoch != (ulong)epoch);
            using var replay = new LogReplay(Store, Log.Anchor, LogTrees.TryRestore(Options, Snapshot, out _)!, LogRoots.Computed);
            Assert.Equal(new Refused($"Epoch {epoch} is missing from the database."), await replay.LoadAsync(Newest, Cancel));
        }
    }

    [Fact]
    public async Task A_damaged_snapshot_is_refused_and_a_missing_one_is_not()
    {
        Assert.Null(LogTrees.TryRestore(Options, Snapshot, out Refused? refused));
        Assert.Null(refused);
        await SaveAsync(2);
        await FileDamage.FlipAsync(Snapshot, ^40);
        Assert.Null(LogTrees.TryRestore(Options, Snapshot, out refused));
        Assert.True(refused!.IsSnapshot);
    }

    [Fact]
    public async Task Nothing_is_read_that_the_directory_does_not_keep()
    {
        foreach ((KeptValues kept, LeafColumns columns) in ((KeptValues, LeafColumns)[])[(KeptValues.All, LeafColumns.Values),
            (KeptValues.Lists, LeafColumns.Lists), (KeptValues.None, LeafColumns.Trees)])
        {
            Store.Columns.Clear();
            using var replay = new LogReplay(Store, Log.Anchor, LogTrees.Create(Options with { Values = kept }, null), LogRoots.Computed);
            Assert.Null(await replay.LoadAsync(2, Cancel));
            Assert.Null(await replay.FollowAsync(Newest, beforeCommit: null, Cancel));
            AssertAt(replay, Newest);
            Assert.Equal([columns, columns], Store.Columns);
        }
    }

    [Fact]
    public async Task Other_secrets_than_the_logs_are_noticed_unless_there_are_none()
    {
        using var other = DirectorySecrets.Generate();
        using var wrong = new LogReplay(Store, Log.Anchor, LogTrees.Create(Options with { Secrets = other }, null), LogRoots.Computed);
        Assert.Equal(new Refused("The period's secrets do not give the VRF key of structure 1 in the record of epoch 3."),
            await wrong.LoadAsync(Newest, Cancel));
        using var none = new LogReplay(Store, Log.Anchor, LogTrees.CreateWithoutSecrets(Log.Anchor.Configuration), LogRoots.Computed);
        Assert.Null(await none.LoadAsync(Newest, Cancel));
        Assert.Equal(Newest, none.Last.Epoch);
    }

    // Makes a fault in the leaves of the whole log, whose last leaf belongs to epoch 3.
    private static LeafRow[] Damage(LeafRow[] rows, string what)
    {
        ref LeafRow last = ref rows[^1];
        switch (what)
        {
            case "lost":
                return rows[..^1];
            case "label":
                last.Label = Enumerable.Repeat((byte)0xFF, 32).ToArray();
                break;
            case "value":
                last.Opening = new byte[16];
                break;
            case "twice":
                last.Label = rows[^2].Label.ToArray();
                break;
            case "version":
                last.Version += 2;
                break;
        }
        return rows;
    }

    private static EpochRow Tamper(EpochRow row, string what)
    {
        var record = EpochRecord.Decode(row.Record.Span);
        byte[] octets = what == "length" ? row.Record.ToArray()[1..] : Tamper(record, what).Encode();
        return row with
        {
            Record = octets,
            RecordHash = what == "length" ? row.RecordHash : what == "hash" ? new byte[32] : EpochRecord.Hash(octets),
        };
    }

    private static EpochRecord Tamper(EpochRecord record, string what)
    {
        StructureState[] states = [.. record.Structures];
        StructureState keys = states[2];
        byte[] root = keys.Root.ToArray();
        root[0] ^= 1;
        states[2] = what switch { "root" => keys with { Root = root }, "count" => keys with { Count = keys.Count + 1 }, _ => keys };
        return record with
        {
            Structures = states,
            LogId = what == "log" ? new byte[32] : record.LogId,
            Epoch = what == "epoch" ? record.Epoch - 1 : record.Epoch,
            TimeMs = what == "time" ? 1 : record.TimeMs,
            Previous = what == "previous" ? new byte[EpochRecord.HashLength] : record.Previous,
        };
    }

    private LogReplay Replay(HighWaterMark? served = null, LogRoots roots = LogRoots.Computed) =>
        new(Store, Log.Anchor, LogTrees.Create(Options with { LeafLogPath = null }, null), roots) { Served = served };

    private LogReplay Stored(LogTrees trees) => new(Store, Log.Anchor, trees, LogRoots.Computed);

    // Asserts that replays refuse the log for the given reason, both when they load it at once and when they step epoch by epoch.
    private async Task RefusedAsync(string why)
    {
        using LogReplay loaded = Replay();
        Assert.Equal(new Refused(why), await loaded.LoadAsync(Newest, Cancel));
        using LogReplay stored = Stored(LogTrees.Create(StoredOptions, Snapshot));
        Assert.Equal(new Refused(why), await stored.LoadAsync(Newest, Cancel));
        using LogReplay stepping = Replay();
        Refused? refused = await stepping.LoadAsync(0, Cancel);
        for (int i = 0; i < 2; i++)
        {
            refused ??= await stepping.FollowAsync(Newest, beforeCommit: null, Cancel);
        }
        Assert.Equal(new Refused(why), refused);
    }

    private async Task SaveAsync(ulong epoch)
    {
        using var replay = new LogReplay(Store, Log.Anchor, LogTrees.Create(Options, Snapshot), LogRoots.Computed);
        Assert.Null(await replay.LoadAsync(epoch, Cancel));
        using DirectoryView view = replay.Trees.Directory.TakeView();
        view.Save(Snapshot);
    }

    private async Task<LeafBatch> LeavesAsync(ulong epoch)
    {
        await foreach (LeafBatch batch in Store.ReadLeavesAsync(epoch, epoch, 1, LeafColumns.Values, Cancel))
        {
            return batch;
        }
        return LeafBatch.Empty;
    }

    private void AssertAt(LogReplay replay, ulong epoch)
    {
        EpochRow row = Log.Records[(int)epoch];
        Assert.Equal(epoch, replay.Last.Epoch);
        Assert.Equal(row.RecordHash.ToArray(), replay.Last.Row.RecordHash.ToArray());
        Assert.Equal(EpochRecord.Decode(row.Record.Span).Structures, replay.Trees.Directory.States(out ulong at));
        Assert.Equal(epoch, at);
        Assert.Equal(TlogError.None,
            InclusionProof.Verify(Rfc6962.LeafHash(row.Record.Span), epoch, epoch + 1, replay.Last.Root(), replay.Last.Inclusion));
        Assert.Equal(Reason.Valid, LogVerifier.Checkpoint(Log.Anchor, row.Checkpoint.Span, out _, out byte[] root));
        Assert.Equal(root, replay.Last.Root().ToArray());
    }
}
