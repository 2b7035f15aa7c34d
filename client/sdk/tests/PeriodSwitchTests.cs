using System.Buffers;
using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Client.Tests;

/// <summary>
/// Tests what owners and auditors verify before, at and after a log's switch to its next period. The tests build the log with the native
/// directories of both periods.
/// </summary>
public sealed class PeriodSwitchTests : IDisposable
{
    private const ulong StepMs = 1_000;
    private const ulong StartMs = 1_790_000_000_000;
    private const ulong Last = 3;
    private const ulong First = Last + 1;

    private readonly TemporaryFolder _folder = new();
    private readonly DirectorySecrets _nextSecrets;
    private readonly KeyDirectory _old;
    private readonly KeyDirectory _next;
    private readonly List<byte[]> _records = [];
    private readonly List<byte[]> _proofs = [[]];

    public PeriodSwitchTests()
    {
        using DirectorySecrets secrets = DirectorySecrets.Generate();
        _nextSecrets = secrets.NextPeriod();
        _old = KeyDirectory.Create(new DirectoryOptions { Secrets = secrets, MaxValueLength = FixtureLog.Configuration.MaxValueLength });
        _next = KeyDirectory.Create(NextOptions);
        Record(_old.States(out _), 0, 0, StartMs);
        Publish((StructureId.Keys, "alice", "one"), (StructureId.Devices, "alice", "list"), (StructureId.Usernames, "al", "alice"),
            (StructureId.Keys, "mallory", "hers"));
        Publish((StructureId.Keys, "alice", "two"), (StructureId.Usernames, "bo", "bob"));
        Copy((StructureId.Keys, "alice", 1, "one"), (StructureId.Devices, "alice", 1, "list"), (StructureId.Keys, "mallory", 1, "hers"));
        Publish((StructureId.Keys, "bob", "first"), (StructureId.Decommissioned, "mallory", ""));
        Copy((StructureId.Keys, "alice", 2, "two"), (StructureId.Keys, "bob", 1, "first"), (StructureId.Keys, "mallory", 0, ""));
    }

    private DirectoryOptions NextOptions =>
        new()
        {
            Secrets = _nextSecrets,
            LeafLogPath = _folder.In("leaves"),
            MaxValueLength = FixtureLog.Configuration.MaxValueLength,
            Period = 1,
        };

    private static ulong SwitchMs => StartMs + FixtureLog.Configuration.PeriodLengthMs;

    public void Dispose()
    {
        _nextSecrets.Dispose();
        _old.Dispose();
        _next.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task An_owner_verifies_the_end_of_the_period_and_its_copy()
    {
        using DirectoryView ended = _old.TakeView();
        Start();
        Follow(("alice", "three"));
        using DirectoryView current = _next.TakeView();

        // Step 1 of the hand-over: the answer shows all versions of period 0, and is about the period's last record, which the question
        // names.
        byte[] answer = [.. await HeadAsync(Last), .. Versions(ended, "alice", "bob", "nobody")];
        VerifierContext context = new() { Anchor = FixtureLog.Anchor, NowMs = SwitchMs + (2 * StepMs), EndedRecord = _records[(int)Last] };
        VersionsVerdict verdict = Verify(context, answer, 0, []);
        Assert.Equal(Reason.Valid, verdict.Reason);
        Assert.Equal([2UL, 1, 0], verdict.Keys.Select(key => key.Version));
        Assert.Equal(["one", "two"], verdict.Keys[0].Members.Select(member => Encoding.UTF8.GetString(answer[member.Value!.Value])));
        Assert.Equal(Reason.RecordEpoch, Verify(context with { EndedRecord = _records[(int)Last - 1] }, answer, 0, []).Reason);
        EndState[] ends = [End(2, "two"), End(1, "first"), End(0, "")];

        // Step 2 of the hand-over: the answer shows the copies, and is about a later epoch of period 1.
        byte[] copies = [.. await HeadAsync(First + 1), .. Versions(current, "alice", "bob", "nobody")];
        VerifierContext now = context with { EndedRecord = default };
        VersionsVerdict handedOver = Verify(now, copies, 1, ends);
        Assert.Equal(Reason.Valid, handedOver.Reason);
        Assert.Equal([0, First + 1], handedOver.Keys[0].Members.Select(member => member.LeafEpoch));
        Assert.Equal([First, First + 1], handedOver.Keys[0].Members.Select(member => member.Time));
        Assert.Equal("two", Encoding.UTF8.GetString(copies[handedOver.Keys[0].Members[0].Value!.Value]));

        // The verifier refuses a first version that is not a copy of the end state. The key "mallory" of a user who has left has no copy.
        Assert.Equal(Reason.HandoverValue, Verify(now, copies, 1, [End(1, "one"), ends[1], ends[2]]).Reason);
        Assert.Equal(Reason.HandoverMissing, Verify(now, copies, 1, [ends[0], ends[1], End(1, "hers")]).Reason);
        Assert.Equal(Reason.HandoverUnset, Verify(now, copies, 1, [ends[0], End(0, ""), ends[2]]).Reason);
        Assert.Equal(Reason.HandoverPeriod, Verify(now, copies, 1, [ends[0] with { LastEpoch = Last - 1 }, ends[1], ends[2]]).Reason);
        Assert.Equal(
            0UL,
            Verify(now, [.. await HeadAsync(First + 1), .. Versions(current, "mallory", "bob", "nobody")], 1, [],
                "mallory").Keys[0].Version);
    }

    [Fact]
    public void An_auditor_follows_the_switch()
    {
        Start();
        Follow(("alice", "three"));
        byte[] context = _records[0];
        for (ulong epoch = 1; epoch <= First + 1; epoch++)
        {
            byte[] proof = AuditProof.Encode([_records[(int)epoch - 1], _records[(int)epoch]], _proofs[(int)epoch]);
            AuditVerdict verdict = Verifier.Audit(new VerifierContext { Anchor = FixtureLog.Anchor, NowMs = SwitchMs + (2 * StepMs) },
                _records[(int)epoch - 1], context, proof);
            Assert.Equal(Reason.Valid, verdict.Reason);
            StructureId[] verified = epoch == First
                ? [StructureId.Usernames, StructureId.Decommissioned]
                : [StructureId.Usernames, StructureId.Devices, StructureId.Keys, StructureId.Decommissioned];
            Assert.Equal(verified, verdict.Structures);
            context = epoch == First ? _records[(int)First] : context;
        }
    }

    [Fact]
    public void A_directory_that_has_begun_is_saved_and_restored()
    {
        OptiksNativeException early = Assert.Throws<OptiksNativeException>(() => _next.TakeView());
        Assert.Equal(NativeStatus.State, early.Status);
        Assert.Equal((1UL, 0UL), (_next.Stats.Period, _next.Stats.PeriodFirstEpoch));
        Start();
        Assert.Equal((1UL, First), (_next.Stats.Period, _next.Stats.PeriodFirstEpoch));
        StructureState[] states = _next.States(out _);
        using (DirectoryView view = _next.TakeView())
        {
            view.Save(_folder.In("snapshot"));
        }
        _next.Dispose();
        Assert.Equal(NativeStatus.Data,
            Assert.Throws<OptiksNativeException>(() => KeyDirectory.Restore(NextOptions, _folder.In("snapshot"))).Status);
        using var restored = KeyDirectory.Restore(NextOptions with { PeriodFirstEpoch = First }, _folder.In("snapshot"));
        restored.Check();
        Assert.Equal(states.Select(state => Convert.ToHexString(state.Root.Span)),
            restored.States(out ulong epoch).Select(state => Convert.ToHexString(state.Root.Span)));
        Assert.Equal(First, epoch);
        Assert.Equal(NativeStatus.State, Assert.Throws<OptiksNativeException>(() => restored.LoadCopies([], [])).Status);
    }

    [Fact]
    public void Rows_that_contradict_each_other_change_nothing()
    {
        StructureState[] before = _next.States(out _);
        LeafRow[] rows = Prepare([(StructureId.Keys, "carol", 1, "hers")], out byte[] values);
        LeafRow[] changed = [.. rows];
        changed[0].Epoch = 1;
        Assert.Equal(NativeStatus.Data, Assert.Throws<OptiksNativeException>(() => _next.LoadCopies(changed, values)).Status);
        Assert.Equal(NativeStatus.Data, Assert.Throws<OptiksNativeException>(() => _next.LoadCopies(rows, "him!"u8)).Status);
        Assert.Equal(before.Select(state => state.Count), _next.States(out _).Select(state => state.Count));
        _next.LoadCopies(rows, values);
        Assert.Equal(before[2].Count + 1, _next.States(out _)[2].Count);
        using var keys = new ByteStrings();
        keys.Add("carol"u8);
        Assert.Throws<ArgumentException>(() => _next.PrepareCopies([StructureId.Keys], keys, [], keys, new LeafRow[1]));
        Assert.Throws<ArgumentException>(() => _next.PrepareCopies([StructureId.Keys], keys, [1], keys, []));
    }

    private static EndState End(ulong version, string value) => new(0, Last, version, SHA256.HashData(Encoding.UTF8.GetBytes(value)));

    private static VersionsVerdict Verify(VerifierContext context, byte[] answer, ulong period, EndState[] ends, string first = "alice")
    {
        using var keys = new ByteStrings();
        foreach (string key in new[] { first, "bob", "nobody" })
        {
            keys.Add(Encoding.UTF8.GetBytes(key));
        }
        var known = new KnownKey[3];
        Array.Fill(known, new KnownKey(0, period, 0, 0, null));
        VersionsVerdict verdict = Verifier.Versions(context, keys, known, answer);
        Reason handover = ends.Zip(verdict.Keys).Select(key => Verifier.Handover(verdict.Head!, key.Second, key.First, answer))
            .FirstOrDefault(reason => reason != Reason.Valid);
        return handover == Reason.Valid ? verdict : new VersionsVerdict(handover, null, null, []);
    }

    private static byte[] Versions(DirectoryView view, params string[] keys)
    {
        var output = new ArrayBufferWriter<byte>();
        using ProofBatch proofs = view.CreateProofs(StructureId.Keys);
        foreach (string key in keys)
        {
            proofs.WriteVersions(Encoding.UTF8.GetBytes(key), 1, 100, 1 << 20, output);
        }
        byte[] length = new byte[4];
        BinaryPrimitives.WriteUInt32BigEndian(length, (uint)output.WrittenCount);
        return [.. length, .. output.WrittenSpan];
    }

    private static byte[] Vector(IReadOnlyList<TreeHash> hashes)
    {
        byte[] length = new byte[2];
        BinaryPrimitives.WriteUInt16BigEndian(length, (ushort)(hashes.Count * TreeHash.Length));
        return [.. length, .. hashes.SelectMany(hash => hash.ToArray())];
    }

    // Returns the head of an epoch in the newest checkpoint, for a client that keeps no checkpoint.
    private async Task<byte[]> HeadAsync(ulong epoch)
    {
        var board = new MemoryBoard(_records);
        byte[] note = FixtureLog.Checkpoint(board);
        IReadOnlyList<TreeHash> inclusion = await InclusionProof.MakeAsync(board, epoch, board.Size, TestContext.Current.CancellationToken);
        return [.. _records[(int)epoch], .. Vector(inclusion), .. Vector([]), (byte)(note.Length >> 8), (byte)note.Length, .. note];
    }

    private void Record(StructureState[] states, ulong period, ulong firstEpoch, ulong timeMs) =>
        _records.Add(new EpochRecord
        {
            LogId = FixtureLog.Anchor.LogId,
            Epoch = (ulong)_records.Count,
            Period = period,
            PeriodFirstEpoch = firstEpoch,
            TimeMs = timeMs,
            Structures = states,
            Previous = _records.Count == 0 ? new byte[32] : EpochRecord.Hash(_records[^1]),
        }.Encode());

    // Publishes an epoch of period 0. The next period's directory also loads those leaves of the epoch that have no versions.
    private void Publish(params (StructureId Structure, string Key, string Value)[] updates)
    {
        ulong epoch = (ulong)_records.Count;
        LeafRow[] rows = Prepare(_old, epoch, updates, out byte[] values);
        Stage(_old.Stage(epoch, rows, values, withProofs: true), 0, 0, StartMs + (epoch * StepMs));
        _next.Load(epoch, [.. rows.Where(row => !row.Structure.IsPerPeriod())], values);
    }

    private void Start()
    {
        LeafRow[] rows = Prepare(_old, First, [(StructureId.Usernames, "ca", "carol")], out byte[] values);
        Stage(_next.StartPeriod(First, rows, values, withProofs: true), 1, First, SwitchMs);
    }

    private void Follow(params (string Key, string Value)[] updates)
    {
        LeafRow[] rows = Prepare(
            _next, First + 1, [.. updates.Select(update => (StructureId.Keys, update.Key, update.Value))], out byte[] values);
        Stage(_next.Stage(First + 1, rows, values, withProofs: true), 1, First, SwitchMs + StepMs);
    }

    private void Stage(StagedEpoch staged, ulong period, ulong firstEpoch, ulong timeMs)
    {
        using (staged)
        {
            Record(staged.States(), period, firstEpoch, timeMs);
            _proofs.Add(staged.AppendProofs());
            staged.Commit();
        }
    }

    private static LeafRow[] Prepare(
        KeyDirectory directory, ulong epoch, (StructureId Structure, string Key, string Value)[] updates, out byte[] octets)
    {
        using var keys = new ByteStrings();
        using var values = new ByteStrings();
        foreach ((_, string key, string value) in updates)
        {
            keys.Add(Encoding.UTF8.GetBytes(key));
            values.Add(Encoding.UTF8.GetBytes(value));
        }
        var rows = new LeafRow[updates.Length];
        directory.Prepare(epoch, [.. updates.Select(update => update.Structure)], keys, values, rows);
        octets = values.Blob.ToArray();
        return rows;
    }

    private void Copy(params (StructureId Structure, string Key, ulong Version, string Value)[] copies)
    {
        LeafRow[] rows = Prepare(copies, out byte[] values);
        _next.LoadCopies(rows, values);
    }

    private LeafRow[] Prepare((StructureId Structure, string Key, ulong Version, string Value)[] copies, out byte[] octets)
    {
        using var keys = new ByteStrings();
        using var values = new ByteStrings();
        foreach ((_, string key, _, string value) in copies)
        {
            keys.Add(Encoding.UTF8.GetBytes(key));
            values.Add(Encoding.UTF8.GetBytes(value));
        }
        var rows = new LeafRow[copies.Length];
        _next.PrepareCopies([.. copies.Select(copy => copy.Structure)], keys, [.. copies.Select(copy => copy.Version)], values, rows);
        octets = values.Blob.ToArray();
        return rows;
    }
}
