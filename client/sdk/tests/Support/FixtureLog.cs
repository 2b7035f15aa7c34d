using System.Buffers;
using System.Buffers.Binary;
using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Client.Tests;

/// <summary>
/// A whole log in this process, with epochs, records, checkpoints and answers that verify. The native directory computes its trees and
/// proofs.
/// </summary>
internal sealed class FixtureLog : IDisposable
{
    public const ulong StepMs = 1_000;
    public const ulong StartMs = 1_790_000_000_000;
    private const string Origin = "test.example/log";
    private static readonly byte[] s_seed = [.. Enumerable.Range(1, 32).Select(i => (byte)i)];
    private readonly TemporaryFolder _folder = new();
    private readonly byte[] _secrets;
    private readonly Dictionary<(StructureId Structure, string Key), FixtureCopy> _latest = [];
    private DirectorySecrets? _own;
    private KeyDirectory _directory;
    private readonly ulong _startMs;
    private readonly List<KeyDirectory> _ended = [];
    // To publish an epoch, a test replaces the whole array, so that a server can read the array at the same time.
    private volatile Epoch[] _epochs = [];

    public FixtureLog(ulong startMs = StartMs)
        : this(NewSecrets(), [], startMs)
    {
    }

    private FixtureLog(byte[] secrets, IReadOnlyList<Epoch> epochs, ulong startMs)
    {
        _secrets = secrets;
        _startMs = startMs;
        _own = DirectorySecrets.FromOctets(secrets);
        _directory = KeyDirectory.Create(
            new DirectoryOptions { Secrets = _own, LeafLogPath = _folder.In("leaves"), MaxValueLength = Configuration.MaxValueLength });
        if (epochs.Count == 0)
        {
            Add([], [], [], _directory.TakeView());
            return;
        }
        Add([], [], [], _directory.TakeView(), epochs[0].Record);
        foreach (Epoch epoch in epochs.Skip(1))
        {
            Stage(epoch.Rows, epoch.Values, epoch.Record);
        }
    }

    public static Configuration Configuration { get; } = new() { Origin = Origin, MaxDevices = 2000 };

    public static TrustAnchor Anchor { get; } =
        TrustAnchor.Create(Configuration.Encode(), new VerifierKey(Origin, SignatureType.Ed25519, Ed25519.PublicKey(s_seed)));

    public ulong Latest => (ulong)_epochs.Length - 1;

    public DateTimeOffset Now => DateTimeOffset.FromUnixTimeMilliseconds((long)(EpochRecord.Decode(Record(Latest)).TimeMs + StepMs));

    public ulong Period => EpochRecord.ReadPeriod(Record(Latest));

    /// <summary>Returns the first epoch of the period in which an epoch lies.</summary>
    public ulong FirstEpoch(ulong epoch) => EpochRecord.Decode(Record(epoch)).PeriodFirstEpoch;

    /// <summary>
    /// Returns the last epoch of a period; the search begins at <paramref name="upTo"/>, which must be an epoch of a later period.
    /// </summary>
    public ulong LastEpoch(ulong period, ulong upTo)
    {
        ulong epoch = upTo;
        while (EpochRecord.ReadPeriod(Record(epoch)) > period)
        {
            epoch = FirstEpoch(epoch) - 1;
        }
        return epoch;
    }

    /// <summary>
    /// Switches to the next period: publishes an epoch with copies of all latest versions. The copies are honest unless the function
    /// <paramref name="change"/> replaces them.
    /// </summary>
    public void Switch(Func<IReadOnlyList<FixtureCopy>, IReadOnlyList<FixtureCopy>>? change = null)
    {
        DirectorySecrets secrets = _own!.NextPeriod();
        _own.Dispose();
        _own = secrets;
        var next = KeyDirectory.Create(
            new DirectoryOptions
            {
                Secrets = secrets,
                LeafLogPath = _folder.In($"leaves-{Period + 1}"),
                MaxValueLength = Configuration.MaxValueLength,
                Period = Period + 1,
            });
        for (int epoch = 1; epoch < _epochs.Length; epoch++)
        {
            next.Load((ulong)epoch, [.. _epochs[epoch].Rows.Where(row => !row.Structure.IsPerPeriod())], _epochs[epoch].Values);
        }
        HashSet<string> gone = [];
        foreach (FixtureCopy left in _latest.Values.Where(item => item.Structure == StructureId.Decommissioned))
        {
            gone.Add("d" + Convert.ToHexString(left.Key));
            if (_latest.TryGetValue((StructureId.Devices, Convert.ToHexString(left.Key)), out FixtureCopy? list))
            {
                gone.UnionWith(DeviceList.Decode(list.Value).Select(device => "k" + Convert.ToHexString(device.Span)));
            }
        }
        IReadOnlyList<FixtureCopy> copies =
            [.. _latest.Values.Where(
                item => item.Structure.IsPerPeriod()
                    && !gone.Contains((item.Structure == StructureId.Devices ? "d" : "k") + Convert.ToHexString(item.Key)))];
        copies = change?.Invoke(copies) ?? copies;
        using var keys = new ByteStrings();
        using var values = new ByteStrings();
        foreach (FixtureCopy copy in copies)
        {
            keys.Add(copy.Key);
            values.Add(copy.Value);
        }
        var rows = new LeafRow[copies.Count];
        next.PrepareCopies([.. copies.Select(copy => copy.Structure)], keys, [.. copies.Select(copy => copy.Version)], values, rows);
        next.LoadCopies(rows, values.Blob.ToArray());
        foreach ((StructureId Structure, string Key) key in _latest.Keys.Where(key => key.Structure.IsPerPeriod()).ToArray())
        {
            _latest.Remove(key);
        }
        foreach (FixtureCopy copy in copies)
        {
            _latest[(copy.Structure, Convert.ToHexString(copy.Key))] = copy with { Version = 1 };
        }
        EpochRecord last = EpochRecord.Decode(Record(Latest));
        ulong began = EpochRecord.Decode(Record(last.PeriodFirstEpoch)).TimeMs;
        using StagedEpoch staged = next.StartPeriod(Latest + 1, [], [], withProofs: true);
        EpochRecord record = last with
        {
            Epoch = Latest + 1,
            Period = Period + 1,
            PeriodFirstEpoch = Latest + 1,
            TimeMs = Math.Max(last.TimeMs + StepMs, began + Configuration.PeriodLengthMs),
            Structures = staged.States(),
            Previous = EpochRecord.Hash(Record(Latest)),
        };
        byte[] proofs = staged.AppendProofs();
        staged.Commit();
        _ended.Add(_directory);
        _directory = next;
        Add([], [], proofs, next.TakeView(), record.Encode());
    }

    public byte[] Record(ulong epoch) => _epochs[(int)epoch].Record;

    /// <summary>Publishes an epoch with these values; without values the epoch is a heartbeat.</summary>
    public void Publish(params (string Key, string Value)[] updates)
    {
        using var keys = new ByteStrings();
        using var values = new ByteStrings();
        foreach ((string key, string value) in updates)
        {
            keys.Add(Encoding.UTF8.GetBytes(key));
            values.Add(Encoding.UTF8.GetBytes(value));
        }
        var rows = new LeafRow[updates.Length];
        StructureId[] structures = [.. updates.Select(_ => StructureId.Keys)];
        _directory.Prepare(Latest + 1, structures, keys, values, rows);
        Stage(rows, values.Blob.ToArray(), null);
        Note([.. updates.Select(update => FixtureItem.Device(update.Key, update.Value))]);
    }

    public void Publish(byte[] key, byte[] value) => Publish([new FixtureItem(StructureId.Keys, key, value)]);

    /// <summary>
    /// Publishes an epoch with the given items, which may be of any structure, without checking whether a log may publish them.
    /// </summary>
    public void Publish(IReadOnlyList<FixtureItem> items)
    {
        using var keys = new ByteStrings();
        using var values = new ByteStrings();
        foreach (FixtureItem item in items)
        {
            keys.Add(item.Key);
            values.Add(item.Value);
        }
        var rows = new LeafRow[items.Count];
        _directory.Prepare(Latest + 1, [.. items.Select(item => item.Structure)], keys, values, rows);
        Stage(rows, values.Blob.ToArray(), null);
        Note(items);
    }

    /// <summary>Erases the value of a version for good.</summary>
    public void Erase(StructureId structure, byte[] key, ulong version)
    {
        byte[] label = new byte[Lengths.Hash];
        Assert.True(_directory.TryLeaves(structure, key, version, label, new ulong[1]));
        _directory.Erase([structure], label);
    }

    /// <summary>Publishes an epoch without updates and with a changed record.</summary>
    public void PublishRecord(Func<EpochRecord, EpochRecord> change)
    {
        EpochRecord last = EpochRecord.Decode(Record(Latest));
        EpochRecord honest = last with
        {
            Epoch = last.Epoch + 1,
            TimeMs = last.TimeMs + StepMs,
            Previous = EpochRecord.Hash(Record(Latest)),
        };
        Stage([], [], change(honest).Encode());
    }

    public void PublishMany(int epochs, Func<int, (string, string)[]> updates)
    {
        for (int i = 0; i < epochs; i++)
        {
            Publish(updates(i));
        }
    }

    /// <summary>
    /// Returns another log with the same keys and secrets, and with as many first epochs of this log as the parameter
    /// <paramref name="size"/> says. The epochs that it publishes next are a second view.
    /// </summary>
    public FixtureLog Fork(ulong size) => new(_secrets, _epochs[..(int)size], _startMs);

    public MemoryBoard Board(ulong size) => new(_epochs.Take((int)size).Select(epoch => epoch.Record));

    /// <summary>
    /// Returns the checkpoint of a board, with the log's signature. If the board is another log's, the checkpoint is false.
    /// </summary>
    public static byte[] Checkpoint(MemoryBoard board) => Checkpoint(board.Size, board.Root.ToArray());

    public static byte[] Checkpoint(ulong size, byte[] root) =>
        Sign(Encoding.UTF8.GetBytes(FormattableString.Invariant($"{Origin}\n{size}\n{Convert.ToBase64String(root)}\n")));

    /// <summary>
    /// Returns a note with the given text. The log's signature line occurs in it as often as the parameter <paramref name="lines"/> says.
    /// </summary>
    public static byte[] Sign(byte[] text, int lines = 1)
    {
        byte[] keyId = new byte[4];
        BinaryPrimitives.WriteUInt32BigEndian(keyId, Anchor.LogKey.KeyId);
        string signature = Convert.ToBase64String([.. keyId, .. Ed25519.Sign(s_seed, text)]);
        return [.. text, (byte)'\n',
            .. Enumerable.Repeat(Encoding.UTF8.GetBytes($"\u2014 {Origin} {signature}\n"), lines).SelectMany(line => line)];
    }

    /// <summary>Returns the signer of the log's notes.</summary>
    public static NoteSigner Signer() => new(Origin, SignatureType.Ed25519, s_seed);

    /// <summary>
    /// Returns the head of an epoch for a client that keeps a checkpoint of the size in <paramref name="keptSize"/>. Returns null if this
    /// log is behind that checkpoint.
    /// </summary>
    public async Task<byte[]?> HeadAsync(ulong epoch, ulong keptSize, ulong? latest = null)
    {
        ulong size = (latest ?? epoch) + 1;
        if (keptSize > size)
        {
            return null;
        }
        MemoryBoard board = Board(size);
        IReadOnlyList<TreeHash> inclusion = await InclusionProof.MakeAsync(board, epoch, size, CancellationToken.None);
        IReadOnlyList<TreeHash> consistency = keptSize is 0 || keptSize == size
            ? []
            : await ConsistencyProof.MakeAsync(board, keptSize, size, CancellationToken.None);
        byte[] note = keptSize == size ? [] : Checkpoint(board);
        return [.. Record(epoch), .. Vector(inclusion), .. Vector(consistency), (byte)(note.Length >> 8), (byte)note.Length, .. note];
    }

    /// <summary>
    /// Returns a PeriodsAnswer without its head. It has the bounds of all periods from the period in <paramref name="from"/> on, as far as
    /// they are known at an epoch.
    /// </summary>
    public async Task<byte[]> BoundsAsync(ulong epoch, ulong from, ulong latest)
    {
        var bounds = new List<ulong>();
        for (ulong period = EpochRecord.ReadPeriod(Record(epoch)); ; period--)
        {
            ulong last = LastEpoch(period, epoch);
            if (period < EpochRecord.ReadPeriod(Record(epoch)) && last != FirstEpoch(last))
            {
                bounds.Add(last);
            }
            bounds.Add(FirstEpoch(last));
            if (period == from)
            {
                break;
            }
        }
        bounds.Reverse();
        MemoryBoard board = Board(latest + 1);
        var parts = new List<byte>();
        foreach (ulong bound in bounds)
        {
            parts.AddRange([.. Record(bound), .. Vector(await InclusionProof.MakeAsync(board, bound, board.Size, CancellationToken.None))]);
        }
        return [(byte)(parts.Count >> 16), (byte)(parts.Count >> 8), (byte)parts.Count, .. parts];
    }

    public byte[] Lookups(ulong epoch, IReadOnlyList<FixtureQuery> queries)
    {
        using var keys = new ByteStrings();
        foreach (FixtureQuery query in queries)
        {
            keys.Add(query.Key);
        }
        var output = new ArrayBufferWriter<byte>();
        using ProofBatch proofs = _epochs[(int)epoch].View.CreateProofs(StructureId.Keys);
        proofs.WriteLookups(keys, [.. queries.Select(query => query.Period)], [.. queries.Select(query => query.Version)], output,
            new ulong[queries.Count]);
        return output.WrittenSpan.ToArray();
    }

    public byte[] Versions(ulong epoch, IReadOnlyList<FixtureQuery> queries, uint pageSize)
    {
        var output = new ArrayBufferWriter<byte>();
        using ProofBatch proofs = _epochs[(int)epoch].View.CreateProofs(StructureId.Keys);
        foreach (FixtureQuery query in queries)
        {
            proofs.WriteVersions(query.Key, query.Version, pageSize, 1 << 22, output);
        }
        byte[] length = new byte[4];
        BinaryPrimitives.WriteUInt32BigEndian(length, (uint)output.WrittenCount);
        return [.. length, .. output.WrittenSpan];
    }

    public byte[] Users(ulong epoch, byte[] queries, out UsersSummary summary)
    {
        var output = new ArrayBufferWriter<byte>();
        using ProofBatch proofs = _epochs[(int)epoch].View.CreateProofs(StructureId.Keys);
        proofs.WriteUsers(queries, ProtocolLimits.MaxUserEntries, output, out summary);
        return output.WrittenSpan.ToArray();
    }

    public byte[] UserMonitor(ulong epoch, byte[] query, UserMonitorPage page, out UserMonitorSummary summary)
    {
        var output = new ArrayBufferWriter<byte>();
        using ProofBatch proofs = _epochs[(int)epoch].View.CreateProofs(StructureId.Keys);
        proofs.AddUserMonitor(query, page);
        proofs.Run();
        proofs.WriteUserMonitor(query, page, output, out summary);
        return output.WrittenSpan.ToArray();
    }

    public byte[] AuditProof(ulong from, ulong to)
    {
        using var steps = new ByteStrings();
        var counts = new List<ulong>();
        for (ulong epoch = from + 1; epoch <= to; epoch++)
        {
            steps.Add(_epochs[(int)epoch].Proofs);
            counts.AddRange(EpochRecord.Decode(Record(epoch - 1)).Structures.Select(state => state.Count));
        }
        var merged = new System.Buffers.ArrayBufferWriter<byte>();
        AppendProofs.Merge(steps, [.. counts], merged);
        return Optiks.Protocol.AuditProof.Encode(
            [.. _epochs[(int)from..((int)to + 1)].Select(epoch => new ReadOnlyMemory<byte>(epoch.Record))], merged.WrittenSpan);
    }

    public void Dispose()
    {
        foreach (Epoch epoch in _epochs)
        {
            epoch.View.Dispose();
        }
        _directory.Dispose();
        _ended.ForEach(directory => directory.Dispose());
        _own?.Dispose();
        _folder.Dispose();
    }

    // Remembers the published items that the next switch copies.
    private void Note(IReadOnlyList<FixtureItem> items)
    {
        foreach (FixtureItem item in items)
        {
            (StructureId Structure, string Key) name = (item.Structure, Convert.ToHexString(item.Key));
            _latest[name] = new FixtureCopy(
                item.Structure, item.Key, _latest.TryGetValue(name, out FixtureCopy? before) ? before.Version + 1 : 1, item.Value);
        }
    }

    private void Stage(LeafRow[] rows, byte[] values, byte[]? record)
    {
        using StagedEpoch staged = _directory.Stage(Latest + 1, rows, values, withProofs: true);
        byte[] proofs = staged.AppendProofs();
        staged.Commit();
        Add(rows, values, proofs, _directory.TakeView(), record);
    }

    private void Add(LeafRow[] rows, byte[] values, byte[] proofs, DirectoryView view, byte[]? record = null)
    {
        ulong number = (ulong)_epochs.Length;
        record ??= new EpochRecord
        {
            LogId = Anchor.LogId,
            Epoch = number,
            Period = number == 0 ? 0 : Period,
            PeriodFirstEpoch = number == 0 ? 0 : FirstEpoch(Latest),
            TimeMs = number == 0 ? _startMs : EpochRecord.Decode(_epochs[^1].Record).TimeMs + StepMs,
            Structures = view.States,
            Previous = number == 0 ? new byte[32] : EpochRecord.Hash(_epochs[^1].Record),
        }.Encode();
        _epochs = [.. _epochs, new Epoch(rows, values, proofs, view, record)];
    }

    private static byte[] NewSecrets()
    {
        using DirectorySecrets secrets = DirectorySecrets.Generate();
        return secrets.Octets.ToArray();
    }

    private static byte[] Vector(IReadOnlyList<TreeHash> hashes)
    {
        int length = hashes.Count * TreeHash.Length;
        return [(byte)(length >> 8), (byte)length, .. hashes.SelectMany(hash => hash.ToArray())];
    }

    private sealed record Epoch(LeafRow[] Rows, byte[] Values, byte[] Proofs, DirectoryView View, byte[] Record);
}
