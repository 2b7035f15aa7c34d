using System.Text;
using Optiks.Db.Periods;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Storage;
using Optiks.Storage.Sqlite;
using Optiks.Tlog;

namespace Optiks.Db.Tests.Support;

/// <summary>
/// Continues a folder's log as an update-task does, step by step and into later periods. The database, the trees, the board and the bundles
/// are real. No update-task may run at the same time.
/// </summary>
internal sealed class PeriodLog : IAsyncDisposable
{
    private readonly LogFolder _log;
    private readonly MaintenanceStore _store;
    private readonly FileSecretSource _source;
    private readonly TrustAnchor _anchor;
    private readonly INoteSigner _signer;
    private readonly BoardWriter _board;
    private readonly Lease _lease;
    private KeyDirectory? _current;
    private KeyDirectory? _next;

    private PeriodLog(LogFolder log, MaintenanceStore store, FileSecretSource source, TrustAnchor anchor, INoteSigner signer,
        BoardWriter board, Lease lease)
    {
        _log = log;
        _store = store;
        _source = source;
        _anchor = anchor;
        _signer = signer;
        _board = board;
        _lease = lease;
    }

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private string BoardFolder => Path.Combine(_log.Data.Board, "log");

    /// <summary>Opens a folder's log and takes its lease.</summary>
    public static async Task<PeriodLog> OpenAsync(LogFolder log)
    {
        MaintenanceStore store = await new SqliteStorageProvider().OpenMaintenanceAsync(log.ConnectionString, Cancel);
        var anchor = TrustAnchor.Load(log.Data.TrustAnchor);
        var source = new FileSecretSource(log.Data, KeyRing.Load(log.Data));
        BoardWriter board = await BoardWriter.OpenAsync(Path.Combine(log.Data.Board, "log"), anchor.LogKey, Ed25519.Verifier, Cancel);
        Lease lease = (await store.AcquireLeaseAsync("periods", TimeSpan.FromMinutes(10), Cancel))!;
        return new PeriodLog(log, store, source, anchor, source.OpenLogSigner(anchor), board, lease);
    }

    /// <summary>
    /// Stages copies of the latest versions that are not staged yet, in two bundles. The keys in the list <paramref name="leaves"/> get no
    /// copies; if they have copies already, stages rows that remove these.
    /// </summary>
    public async Task StageAsync(params string[] leaves)
    {
        (PeriodRow period, PeriodRow next) = await BeginAsync();
        HeadRow head = await _store.ReadHeadAsync(Cancel);
        List<Latest> latest = await LatestAsync(period);
        List<Latest> present = await StagedAsync(next.Period);
        Latest[] changed =
        [
            .. latest.Where(leaf => !leaves.Contains(leaf.Name) && !present.Any(row => row.IsOf(leaf) && row.Source == leaf.Source))
                .OrderBy(leaf => leaf.Source.Epoch).ThenBy(leaf => leaf.Source.Ordinal),
            .. present.Where(row => leaves.Contains(row.Name) && row.Source.Version > 0)
                .Select(row => row with { Source = default, Value = [] }),
        ];
        foreach (Latest[] chunk in new[] { changed[..(changed.Length / 2)],
            changed[(changed.Length / 2)..] }.Where(chunk => chunk.Length > 0))
        {
            int first = await _store.CountCopiesAsync(next.Period, Cancel);
            CopyBatch copies = Prepare(next.Period, first, chunk);
            Assert.Equal(StageResult.Staged, await _store.StageCopiesAsync(_lease, copies, Cancel));
            _next!.LoadCopies(copies.Rows.Span, copies.Values.Span);
            var bundle = new CopyBundle(head.Epoch!.Value, first == 0 ? next.WrappedSecrets : default, copies);
            await File.WriteAllBytesAsync(Path.Combine(_log.Bundles, bundle.Name.FileName), bundle.Encode(), Cancel);
        }
    }

    /// <summary>Makes the first epoch of the next period from the staged copies.</summary>
    public async Task SwitchAsync()
    {
        (PeriodRow period, PeriodRow next) = await BeginAsync();
        ulong epoch = (await _store.ReadHeadAsync(Cancel)).Epoch!.Value + 1;
        PeriodTimes times = await PeriodTimes.ReadAsync(_store, Cancel);
        var begun = new PeriodSwitch(next.Period, await _store.CountCopiesAsync(next.Period, Cancel));
        using (StagedEpoch staged = _next!.StartPeriod(epoch, [], [], withProofs: true))
        {
            await PublishAsync(epoch, next.Period, epoch, LeafBatch.Empty, [], staged, begun, [],
                (ulong)times.SwitchNotBefore.ToUnixTimeMilliseconds());
        }
        _current?.Dispose();
        (_current, _next) = (_next, null);
    }

    /// <summary>
    /// Makes an epoch with a leaf for each of the given items.
    /// </summary>
    public async Task PublishAsync(params AcceptItem[] items)
    {
        PeriodRow period = PeriodRows.Current(await _store.ReadPeriodsAsync(Cancel));
        KeyDirectory directory = await CurrentAsync(period);
        ulong epoch = (await _store.ReadHeadAsync(Cancel)).Epoch!.Value + 1;
        AcceptRequest request = await _log.AcceptAsync(items);
        long sequence = await SequenceAsync(request);
        using var keys = new ByteStrings();
        using var values = new ByteStrings();
        foreach (AcceptItem item in items)
        {
            keys.Add(item.Key.Span);
            values.Add(item.Value.Span);
        }
        var rows = new LeafRow[items.Length];
        directory.Prepare(epoch, [.. items.Select(item => item.Structure)], keys, values, rows);
        var sortedKeys = new List<byte>();
        int[] keyEnds = new int[rows.Length];
        var origins = new LeafOrigin[rows.Length];
        var outcomes = new Outcome[rows.Length];
        for (int i = 0; i < rows.Length; i++)
        {
            int input = rows[i].InputIndex;
            sortedKeys.AddRange(keys[input]);
            keyEnds[i] = sortedKeys.Count;
            origins[i] = new LeafOrigin(request.RequestId, input);
            outcomes[i] = new Outcome(request.RequestId, sequence, input, new ItemResult.Leaf(i)) { BodyHash = request.BodyHash };
        }
        var leaves = new LeafBatch(rows, values.Blob.ToArray(), sortedKeys.ToArray(), keyEnds, origins);
        using StagedEpoch staged = directory.Stage(epoch, rows, values.Blob, withProofs: true);
        await PublishAsync(epoch, period.Period, period.FirstEpoch!.Value, leaves, outcomes, staged, begun: null, [], leastTimeMs: 0);
        if (_next is not null)
        {
            _next.Load(epoch, [.. rows.Where(row => row.Structure is StructureId.Usernames or StructureId.Decommissioned)], values.Blob);
            _next.EndLoad();
        }
    }

    /// <summary>Makes an epoch that erases the values of the leaves with the given names.</summary>
    public async Task EraseAsync(string key, params LeafName[] names)
    {
        PeriodRow period = PeriodRows.Current(await _store.ReadPeriodsAsync(Cancel));
        KeyDirectory directory = await CurrentAsync(period);
        ulong epoch = (await _store.ReadHeadAsync(Cancel)).Epoch!.Value + 1;
        AcceptRequest request = await _log.AcceptAsync(new ErasureOrder(StructureId.Keys, 1, 1).ToItem(Encoding.UTF8.GetBytes(key)));
        long sequence = await SequenceAsync(request);
        Outcome outcome = new(request.RequestId, sequence, 0, new ItemResult.Erased()) { BodyHash = request.BodyHash };
        Erasure[] erasures =
            [.. (await _store.FindLeavesAsync(names, Cancel)).Select(
                place => new Erasure(place!.Epoch, place.Ordinal, new LeafOrigin(request.RequestId, 0)) { Period = place.Period })];
        using StagedEpoch staged = directory.Stage(epoch, [], [], withProofs: true);
        await PublishAsync(epoch, period.Period, period.FirstEpoch!.Value, LeafBatch.Empty, [outcome], staged, begun: null, erasures,
            leastTimeMs: 0);
    }

    /// <summary>Returns the name of a key's version in the structure <c>keys</c> of the current period.</summary>
    public async Task<LeafName> NameOfAsync(string key, ulong version)
    {
        PeriodRow period = PeriodRows.Current(await _store.ReadPeriodsAsync(Cancel));
        byte[] label = new byte[Lengths.Hash];
        ulong[] epochs = new ulong[1];
        Assert.True((await CurrentAsync(period)).TryLeaves(StructureId.Keys, Encoding.UTF8.GetBytes(key), version, label, epochs));
        return new LeafName(epochs[0], StructureId.Keys, label) { Period = epochs[0] == 0 ? period.Period : null };
    }

    public async ValueTask DisposeAsync()
    {
        _current?.Dispose();
        _next?.Dispose();
        await _store.ReleaseLeaseAsync(_lease, CancellationToken.None);
        await _store.DisposeAsync();
        (_signer as IDisposable)?.Dispose();
        _source.Dispose();
    }

    // Begins the next period, and returns the rows of the current period and of the next period.
    private async Task<(PeriodRow Current, PeriodRow Next)> BeginAsync()
    {
        PeriodRow current = PeriodRows.Current(await _store.ReadPeriodsAsync(Cancel));
        using DirectorySecrets secrets = _source.UnwrapPeriod(
            current.WrappedSecrets.Span, current.Period, _anchor.LogId.Span, out KeyId by);
        using DirectorySecrets made = secrets.NextPeriod();
        PeriodRow next = await _store.BeginPeriodAsync(
            _lease, current.Period + 1, _source.WrapPeriod(made, current.Period + 1, _anchor.LogId.Span, by), Cancel);
        _next ??= await LoadAsync(next);
        return (current, next);
    }

    private async Task<KeyDirectory> CurrentAsync(PeriodRow period) => _current ??= await LoadAsync(period);

    // Makes a directory for the period, with the leaves of all epochs in the structures `usernames` and `decommissioned`. If it is the
    // first period, also loads the leaves of the structures `devices` and `keys`; if the period has not begun, also loads its copies.
    private async Task<KeyDirectory> LoadAsync(PeriodRow period)
    {
        Assert.True(period.Period == 0 || period.FirstEpoch is null, "A period that began is gone on with where it began.");
        using DirectorySecrets secrets = _source.UnwrapPeriod(period.WrappedSecrets.Span, period.Period, _anchor.LogId.Span);
        var directory = KeyDirectory.Create(
            new DirectoryOptions { Secrets = secrets, MaxValueLength = _anchor.Configuration.MaxValueLength, Period = period.Period });
        ulong head = (await _store.ReadHeadAsync(Cancel)).Epoch!.Value;
        ulong loaded = 0;
        await foreach (LeafBatch batch in _store.ReadLeavesAsync(1, head, 1000, LeafColumns.All, Cancel))
        {
            LeafRow[] rows = [.. batch.Rows.ToArray()
                .Where(row => period.Period == 0 || row.Structure is StructureId.Usernames or StructureId.Decommissioned)];
            loaded = batch.Rows.Span[^1].Epoch;
            directory.Load(loaded, rows, batch.Values.Span);
        }
        if (loaded < head)
        {
            directory.Load(head, [], []);
        }
        directory.EndLoad();
        int first = 0;
        while (period.Period > 0
            && await _store.ReadCopiesAsync(period.Period, first, 1000, LeafColumns.All, Cancel) is { Rows.IsEmpty: false } copies)
        {
            directory.LoadCopies(copies.Rows.Span, copies.Values.Span);
            first = copies.End;
        }
        return directory;
    }

    private CopyBatch Prepare(ulong period, int first, Latest[] chunk)
    {
        using var keys = new ByteStrings();
        using var values = new ByteStrings();
        foreach (Latest leaf in chunk)
        {
            keys.Add(leaf.Key);
            values.Add(leaf.Value);
        }
        var rows = new LeafRow[chunk.Length];
        _next!.PrepareCopies([.. chunk.Select(leaf => leaf.Structure)], keys, [.. chunk.Select(leaf => leaf.Source.Version)], values, rows);
        var sortedKeys = new List<byte>();
        int[] keyEnds = new int[rows.Length];
        var sources = new CopySource[rows.Length];
        for (int i = 0; i < rows.Length; i++)
        {
            sources[i] = chunk[rows[i].InputIndex].Source;
            if (!sources[i].IsDrop)
            {
                rows[i].Version = 1;
                sortedKeys.AddRange(keys[rows[i].InputIndex]);
            }
            keyEnds[i] = sortedKeys.Count;
        }
        return new CopyBatch(period, first, rows, sources, values.Blob.ToArray(), sortedKeys.ToArray(), keyEnds);
    }

    private async Task<List<Latest>> LatestAsync(PeriodRow period)
    {
        List<Latest> latest = period.Period == 0 ? [] : await StagedAsync(period.Period);
        latest = [.. latest.Where(row => row.Source.Version > 0).Select(row => row with { Source = new CopySource(1, 0, row.Number) })];
        await foreach (LeafBatch batch in _store.ReadLeavesAsync(
            period.FirstEpoch!.Value, ulong.MaxValue >> 1, 1000, LeafColumns.All, Cancel))
        {
            int ordinal = 0;
            for (int i = 0; i < batch.Rows.Length; i++)
            {
                LeafRow row = batch.Rows.Span[i];
                ordinal = i > 0 && batch.Rows.Span[i - 1].Epoch == row.Epoch ? ordinal + 1 : 0;
                if (row.Structure.IsPerPeriod() && row.ValueOffset != LeafRow.NoValue)
                {
                    var leaf = new Latest(row.Structure, batch.Key(i).ToArray(),
                        batch.Values.Slice((int)row.ValueOffset, (int)row.ValueLength).ToArray(),
                        new CopySource(row.Version, row.Epoch, ordinal), 0);
                    latest.RemoveAll(leaf.IsOf);
                    latest.Add(leaf);
                }
            }
        }
        return latest;
    }

    // Returns the last row of copies of each label. Only these rows still have their keys and values; a row that removes a key's copy has
    // no value.
    private async Task<List<Latest>> StagedAsync(ulong period)
    {
        CopyBatch copies = await _store.ReadCopiesAsync(period, 0, 10_000, LeafColumns.All, Cancel);
        var staged = new Dictionary<string, Latest>(StringComparer.Ordinal);
        for (int i = 0; i < copies.Rows.Length; i++)
        {
            LeafRow row = copies.Rows.Span[i];
            bool hasValue = row.ValueOffset != LeafRow.NoValue;
            staged[Convert.ToHexString(row.Label)] = new Latest(row.Structure, hasValue ? copies.Key(i).ToArray() : [],
                hasValue ? copies.Value(i).ToArray() : [], copies.Sources.Span[i], i);
        }
        return [.. staged.Values];
    }

    // Returns the sequence number of a pending request, even if an earlier request for the same key would be taken before it.
    private async Task<long> SequenceAsync(AcceptRequest request)
    {
        await using ConsistentRead read = await _store.OpenConsistentReadAsync(Cancel);
        return Assert.Single(await read.ReadRequestsAsync(0, 1000, Cancel), one => one.RequestId == request.RequestId).Sequence;
    }

    // Publishes an epoch in the update-task's order: database, bundle, mark, checkpoint, board.
    private async Task PublishAsync(
        ulong epoch, ulong period, ulong first, LeafBatch leaves, Outcome[] outcomes, StagedEpoch staged, PeriodSwitch? begun,
        Erasure[] erasures, ulong leastTimeMs)
    {
        EpochRow previous = await _store.ReadEpochAsync(epoch - 1, Cancel);
        ulong now = (ulong)TimeProvider.System.GetUtcNow().ToUnixTimeMilliseconds();
        byte[] record = new EpochRecord
        {
            LogId = _anchor.LogId,
            Epoch = epoch,
            Period = period,
            PeriodFirstEpoch = first,
            TimeMs = Math.Max(Math.Max(now, leastTimeMs), EpochRecord.Decode(previous.Record.Span).TimeMs + 1),
            Structures = staged.States(),
            Previous = previous.RecordHash,
        }.Encode();
        var row = new EpochRow(epoch, record, EpochRecord.Hash(record), default);
        var commit = new EpochCommit(row, previous.RecordHash, period, leaves, outcomes) { Switch = begun, Erasures = erasures };
        Assert.Equal(CommitResult.Committed, await _store.CommitEpochAsync(_lease, commit, Cancel));
        byte[] proofs = staged.AppendProofs();
        staged.Commit();
        EpochContent content = (await _store.ReadUnpublishedAsync(Cancel))!;
        await File.WriteAllBytesAsync(
            Path.Combine(_log.Bundles, FormattableString.Invariant($"{epoch}.bundle")), EpochBundle.Encode(content), Cancel);
        await File.WriteAllBytesAsync(
            Path.Combine(_log.Data.Board, "state", "high-water"), new HighWaterMark(epoch, row.RecordHash).Encode(), Cancel);
        using BoardLock boardLock = BoardLock.TryAcquire(BoardFolder)!;
        var checkpoint = new Checkpoint(_anchor.Configuration.Origin, epoch + 1, _board.RootWith(record));
        byte[] note = (await SignedNote.SignAsync(checkpoint.Encode(), _signer, Cancel)).Encode();
        await _store.StoreCheckpointAsync(_lease, epoch, row.RecordHash, note, Cancel);
        await _board.AppendAsync(boardLock, epoch, [record], Cancel);
        new DurableFiles(BoardFolder).WriteOnce(AuditProofPath.ForEpoch(epoch), AuditProof.Encode([previous.Record, row.Record], proofs));
        await _board.PublishAsync(boardLock, note, Cancel);
        await _store.PublishAsync(_lease, epoch, Cancel);
    }

    /// <summary>Holds the latest version of a key, or the last row of the key's copies.</summary>
    private sealed record Latest(StructureId Structure, byte[] Key, byte[] Value, CopySource Source, int Number)
    {
        public string Name => Encoding.UTF8.GetString(Key);

        public bool IsOf(Latest other) => Structure == other.Structure && Key.AsSpan().SequenceEqual(other.Key);
    }
}
