using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.Storage.Tests;

/// <content>Contains the methods that make periods as the update-task does: first the secrets, then rows of copies, then the
/// switch.</content>
internal sealed partial class TestLog
{
    private readonly Dictionary<(StructureId Structure, string Key), (CopySource Source, byte[] Value)> _latest = [];
    private readonly List<(ulong Epoch, LeafRow[] Rows, byte[] Values)> _names = [];
    private Dictionary<(StructureId Structure, string Key), CopySource> _staged = [];
    private Dictionary<(StructureId Structure, string Key), int> _stagedNumbers = [];
    private Dictionary<(StructureId Structure, string Key), int> _copied = [];
    private KeyDirectory? _next;
    private int _numStaged;
    private ulong _periodFirstEpoch;

    /// <summary>The number of the last epoch's period.</summary>
    public ulong Period { get; private set; }

    private ulong Newest => (ulong)Records.Count - 1;

    /// <summary>Makes the next period's secrets, and its trees, which have no copies yet.</summary>
    public async Task BeginNextAsync()
    {
        using var source = new FileSecretSource(Folder, KeyRing.Load(Folder));
        PeriodRow current = PeriodRows.Current(await _pipeline.ReadPeriodsAsync(CancellationToken.None));
        using DirectorySecrets secrets = source.UnwrapPeriod(current.WrappedSecrets.Span, Period, Anchor.LogId.Span);
        using DirectorySecrets next = secrets.NextPeriod();
        _ = await _pipeline.BeginPeriodAsync(
            _lease, Period + 1, source.WrapPeriod(next, Period + 1, Anchor.LogId.Span), CancellationToken.None);
        _next = KeyDirectory.Create(
            new DirectoryOptions { Secrets = next, MaxValueLength = Anchor.Configuration.MaxValueLength, Period = Period + 1 });
        foreach ((ulong epoch, LeafRow[] rows, byte[] values) in _names)
        {
            _next.Load(epoch, rows, values);
        }
    }

    /// <summary>Stages the latest version of each key, given as text. If a text begins with a minus, stages a row that removes that key's
    /// copy.</summary>
    public Task StageAsync(params string[] keys) => StageAsync([.. keys.Select(key => (StructureId.Keys, key))]);

    /// <summary>Stages every key that is not staged yet or that got a new version after it was staged.</summary>
    public Task StageAllAsync() =>
        StageAsync(
            [.. _latest.Where(latest => !_staged.TryGetValue(latest.Key, out CopySource staged) || staged != latest.Value.Source)
                .Select(latest => latest.Key)]);

    /// <summary>
    /// Stages keys of any structure. If the function <paramref name="tamper"/> is given, it changes the rows that are stored, while this
    /// log's trees keep the original rows.
    /// </summary>
    public async Task StageAsync(IReadOnlyList<(StructureId Structure, string Key)> keys, Func<LeafRow[], LeafRow[]>? tamper = null)
    {
        if (keys.Count == 0)
        {
            return;
        }
        using var names = new ByteStrings();
        using var values = new ByteStrings();
        var sources = new CopySource[keys.Count];
        for (int i = 0; i < keys.Count; i++)
        {
            (StructureId structure, string key) = keys[i];
            bool isDrop = key[0] == '-';
            names.Add(Encoding.UTF8.GetBytes(isDrop ? key[1..] : key));
            (sources[i], byte[] value) = isDrop ? (default, []) : _latest[(structure, key)];
            values.Add(value);
        }
        var rows = new LeafRow[keys.Count];
        _next!.PrepareCopies([.. keys.Select(key => key.Structure)], names, [.. sources.Select(source => source.Version)], values, rows);
        _next.LoadCopies(rows, values.Blob);
        var sortedKeys = new List<byte>();
        int[] keyEnds = new int[rows.Length];
        var sortedSources = new CopySource[rows.Length];
        for (int i = 0; i < rows.Length; i++)
        {
            int input = rows[i].InputIndex;
            sortedSources[i] = sources[input];
            sortedKeys.AddRange(sources[input].IsDrop ? default : names[input]);
            keyEnds[i] = sortedKeys.Count;
            rows[i].Version = Math.Min(rows[i].Version, 1);
            (StructureId structure, string key) = keys[input];
            _staged[(structure, key)] = sources[input];
            _stagedNumbers[(structure, key)] = _numStaged + i;
            if (sources[input].IsDrop)
            {
                // This entry prevents `StageAllAsync` from staging this key again.
                _staged[(structure, key[1..])] = _latest[(structure, key[1..])].Source;
                _ = _stagedNumbers.Remove((structure, key[1..]));
            }
        }
        rows = tamper is null ? rows : tamper(rows);
        var copies = new CopyBatch(Period + 1, _numStaged, rows, sortedSources, values.Blob.ToArray(), sortedKeys.ToArray(), keyEnds);
        Assert.Equal(StageResult.Staged, await _pipeline.StageCopiesAsync(_lease, copies, CancellationToken.None));
        _numStaged += rows.Length;
    }

    /// <summary>
    /// Makes the next period's first epoch from the staged copies. If the function <paramref name="tamper"/> is given, it changes the
    /// epoch's record before the log stores and signs it.
    /// </summary>
    public async Task<EpochRow> SwitchAsync(Func<EpochRecord, EpochRecord>? tamper = null)
    {
        EpochRow previous = Records[^1];
        ulong epoch = Newest + 1;
        byte[] record;
        byte[] appendProofs;
        using (StagedEpoch staged = _next!.StartPeriod(epoch, [], [], withProofs: true))
        {
            ulong least = EpochRecord.Decode(Records[(int)_periodFirstEpoch].Record.Span).TimeMs + Anchor.Configuration.PeriodLengthMs;
            var honest = new EpochRecord
            {
                LogId = Anchor.LogId,
                Epoch = epoch,
                Period = Period + 1,
                PeriodFirstEpoch = epoch,
                TimeMs = Math.Max(Math.Max(NowMs, least), EpochRecord.Decode(previous.Record.Span).TimeMs + 1),
                Structures = staged.States(),
                Previous = previous.RecordHash,
            };
            record = (tamper is null ? honest : tamper(honest)).Encode();
            appendProofs = staged.AppendProofs();
            staged.Commit();
        }
        var row = new EpochRow(epoch, record, EpochRecord.Hash(record), default);
        var commit = new EpochCommit(
            row, previous.RecordHash, Period + 1, LeafBatch.Empty, [])
        { Switch = new PeriodSwitch(Period + 1, _numStaged) };
        Assert.Equal(CommitResult.Committed, await _pipeline.CommitEpochAsync(_lease, commit, CancellationToken.None));
        _directory.Dispose();
        _directory = _next;
        _next = null;
        Period++;
        _periodFirstEpoch = epoch;
        foreach ((StructureId, string) key in _latest.Keys.ToArray())
        {
            if (!_stagedNumbers.TryGetValue(key, out int number))
            {
                _ = _latest.Remove(key);
                continue;
            }
            _latest[key] = (new CopySource(1, 0, number), _latest[key].Value);
        }
        (_copied, _staged, _stagedNumbers, _numStaged) = (_stagedNumbers, [], [], 0);
        _names.Add((epoch, [], []));
        await FinishAsync(row, AuditProof.Encode([previous.Record, row.Record], appendProofs));
        return row;
    }

    /// <summary>Makes the next period, with copies of all keys, and switches to it.</summary>
    public async Task<EpochRow> NextPeriodAsync()
    {
        await BeginNextAsync();
        await StageAllAsync();
        return await SwitchAsync();
    }

    /// <summary>Destroys the secrets and values of a period that has ended.</summary>
    public async Task DestroyAsync(ulong period)
    {
        await _pipeline.BeginDestroyingAsync(_lease, period, Anchor.Configuration.RetainedPeriods, CancellationToken.None);
        while (!await _pipeline.DestroyAsync(_lease, period, 1000, CancellationToken.None))
        {
        }
    }

    private void Remember(ulong epoch, IReadOnlyList<AcceptItem> items, LeafBatch leaves)
    {
        for (int i = 0; i < leaves.Rows.Length; i++)
        {
            LeafRow row = leaves.Rows.Span[i];
            if (row.Structure.HasVersions())
            {
                _latest[(row.Structure, Encoding.UTF8.GetString(leaves.Key(i).Span))] = (new CopySource(row.Version, epoch, i),
                    items[row.InputIndex].Value.ToArray());
            }
        }
    }

    private void LoadNames(ulong epoch, LeafRow[] rows, byte[] values)
    {
        LeafRow[] names = [.. rows.Where(row => !row.Structure.HasVersions())];
        _names.Add((epoch, names, values));
        _next?.Load(epoch, names, values);
    }
}
