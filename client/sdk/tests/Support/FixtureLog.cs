using System.Buffers;
using System.Buffers.Binary;
using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Client.Tests;

/// <summary>FixtureLog is a whole log in this process, made by the native directory: epochs, records, checkpoints and answers that verify.</summary>
internal sealed class FixtureLog : IDisposable
{
    public const ulong StepMs = 1_000;
    private const ulong StartMs = 1_790_000_000_000;
    private const string Origin = "test.example/log";
    private static readonly byte[] s_seed = [.. Enumerable.Range(1, 32).Select(i => (byte)i)];
    private readonly TemporaryFolder _folder = new();
    private readonly byte[] _secrets;
    private readonly KeyDirectory _directory;
    private readonly ulong _startMs;
    // Replaced whole, so that a server may read while a test publishes.
    private volatile Epoch[] _epochs = [];

    public FixtureLog(ulong startMs = StartMs)
        : this(NewSecrets(), [], startMs)
    {
    }

    private FixtureLog(byte[] secrets, IReadOnlyList<Epoch> epochs, ulong startMs)
    {
        _secrets = secrets;
        _startMs = startMs;
        using DirectorySecrets own = DirectorySecrets.FromOctets(secrets);
        _directory = KeyDirectory.Create(new DirectoryOptions { Secrets = own, LeafLogPath = _folder.In("leaves"), MaxValueLength = Configuration.MaxValueLength });
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

    public DateTimeOffset Now => DateTimeOffset.FromUnixTimeMilliseconds((long)(_startMs + ((Latest + 1) * StepMs)));

    public byte[] Record(ulong epoch) => _epochs[(int)epoch].Record;

    /// <summary>Publishes an epoch with these values; none: a heartbeat.</summary>
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
    }

    public void Publish(byte[] key, byte[] value)
    {
        using var keys = new ByteStrings();
        using var values = new ByteStrings();
        keys.Add(key);
        values.Add(value);
        var rows = new LeafRow[1];
        _directory.Prepare(Latest + 1, [StructureId.Keys], keys, values, rows);
        Stage(rows, value, null);
    }

    /// <summary>Publishes an epoch with these items of any structures, whatever a log may publish.</summary>
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
    }

    /// <summary>Erases a version's value for good.</summary>
    public void Erase(StructureId structure, byte[] key, ulong version)
    {
        byte[] label = new byte[Lengths.Hash];
        Assert.True(_directory.TryLeaves(structure, key, version, label, new ulong[1]));
        _directory.Erase([structure], label);
    }

    /// <summary>Publishes an epoch without updates and with another record than it ought to have.</summary>
    public void PublishRecord(Func<EpochRecord, EpochRecord> change)
    {
        EpochRecord last = EpochRecord.Decode(Record(Latest));
        EpochRecord honest = last with { Epoch = last.Epoch + 1, TimeMs = last.TimeMs + StepMs, Previous = EpochRecord.Hash(Record(Latest)) };
        Stage([], [], change(honest).Encode());
    }

    public void PublishMany(int epochs, Func<int, (string, string)[]> updates)
    {
        for (int i = 0; i < epochs; i++)
        {
            Publish(updates(i));
        }
    }

    /// <summary>Another log with the same keys, secrets and first epochs: what it publishes next is a second view.</summary>
    public FixtureLog Fork(ulong size) => new(_secrets, _epochs[..(int)size], _startMs);

    public MemoryBoard Board(ulong size) => new(_epochs.Take((int)size).Select(epoch => epoch.Record));

    /// <summary>The signed note of a size; with another root, a lie that the log signed.</summary>
    public static byte[] Checkpoint(MemoryBoard board) => Checkpoint(board.Size, board.Root.ToArray());

    public static byte[] Checkpoint(ulong size, byte[] root)
    {
        byte[] text = new Checkpoint(Origin, size, TreeHash.FromBytes(root)).Encode();
        byte[] keyId = new byte[4];
        BinaryPrimitives.WriteUInt32BigEndian(keyId, Anchor.LogKey.KeyId);
        string signature = Convert.ToBase64String([.. keyId, .. Ed25519.Sign(s_seed, text)]);
        return [.. text, .. Encoding.UTF8.GetBytes($"\n\u2014 {Origin} {signature}\n")];
    }

    /// <summary>Head of an epoch for a client that keeps a checkpoint of a size. Null: this log is not caught up.</summary>
    public async Task<byte[]?> HeadAsync(ulong epoch, ulong keptSize)
    {
        ulong size = epoch + 1;
        if (keptSize > size)
        {
            return null;
        }
        MemoryBoard board = Board(size);
        IReadOnlyList<TreeHash> inclusion = await InclusionProof.MakeAsync(board, epoch, size, CancellationToken.None);
        IReadOnlyList<TreeHash> consistency = keptSize is 0 || keptSize == size ? [] : await ConsistencyProof.MakeAsync(board, keptSize, size, CancellationToken.None);
        byte[] note = keptSize == size ? [] : Checkpoint(board);
        return [.. Record(epoch), .. Vector(inclusion), .. Vector(consistency), (byte)(note.Length >> 8), (byte)note.Length, .. note];
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
        proofs.WriteLookups(keys, [.. queries.Select(query => query.Period)], [.. queries.Select(query => query.Version)], output, new ulong[queries.Count]);
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
        return Optiks.Protocol.AuditProof.Encode([.. _epochs[(int)from..((int)to + 1)].Select(epoch => new ReadOnlyMemory<byte>(epoch.Record))], merged.WrittenSpan);
    }

    public void Dispose()
    {
        foreach (Epoch epoch in _epochs)
        {
            epoch.View.Dispose();
        }
        _directory.Dispose();
        _folder.Dispose();
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
            Period = 0,
            PeriodFirstEpoch = 0,
            TimeMs = _startMs + (number * StepMs),
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
