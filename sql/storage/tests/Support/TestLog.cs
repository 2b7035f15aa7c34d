using System.Security.Cryptography;
using System.Text;
using Optiks.ApiKeys;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Storage.Sqlite;
using Optiks.Tlog;

namespace Optiks.Storage.Tests;

/// <summary>Holds a log in a temporary data folder, which a test writes epoch by epoch. Its database, trees and board are real.</summary>
internal sealed class TestLog : IAsyncDisposable
{
    private const string Holder = "test";

    private readonly SqliteStorageProvider _provider = new();
    private KeyDirectory _directory;
    private readonly INoteSigner _signer;
    private readonly BoardWriter _board;
    private readonly string _boardFolder;
    private PipelineStore _pipeline;
    private IAcceptStore _accept;
    private Lease _lease;
    private readonly StagedCopies _copies = new();
    private ulong _periodFirstEpoch;
    private bool _isHeldBack;

    private TestLog(DataFolder folder, TrustAnchor anchor, KeyDirectory directory, INoteSigner signer, BoardWriter board,
        string boardFolder, PipelineStore pipeline, IAcceptStore accept, Lease lease)
    {
        Folder = folder;
        Anchor = anchor;
        _directory = directory;
        _signer = signer;
        _board = board;
        _boardFolder = boardFolder;
        _pipeline = pipeline;
        _accept = accept;
        _lease = lease;
        HistoryKey = ApiKey.Generate();
        UpdateKey = ApiKey.Generate();
        SnapshotKey = ApiKey.Generate();
        SnapshotKeyFile = Path.Combine(folder.Root, "snapshot-key");
        AtomicFile.Write(SnapshotKeyFile, Encoding.ASCII.GetBytes(SnapshotKey + "\n"), AtomicFile.PrivateMode);
        AtomicFile.Write(
            folder.ApiKeys,
            ApiKeyFile.Format(
            [
                new ApiKeyEntry("owner", ApiKey.Hash(HistoryKey), ApiScopes.History | ApiScopes.Lookup),
                new ApiKeyEntry("writer", ApiKey.Hash(UpdateKey), ApiScopes.Update),
                new ApiKeyEntry("replica", ApiKey.Hash(SnapshotKey), ApiScopes.Snapshot),
            ]),
            AtomicFile.PrivateMode);
    }

    public DataFolder Folder { get; }

    public TrustAnchor Anchor { get; }

    /// <summary>The rows of all epochs that were published so far.</summary>
    public List<EpochRow> Records { get; } = [];

    /// <summary>The number of the last epoch's period.</summary>
    public ulong Period { get; private set; }

    /// <summary>The wrapped secrets of period 0.</summary>
    public ReadOnlyMemory<byte> WrappedSecrets { get; private set; }

    /// <summary>An API key with the scopes <c>history</c> and <c>lookup</c>.</summary>
    public string HistoryKey { get; }

    /// <summary>An API key with the scope <c>update</c> only.</summary>
    public string UpdateKey { get; }

    /// <summary>An API key with the scope <c>snapshot</c>.</summary>
    public string SnapshotKey { get; }

    /// <summary>The path of the file that contains the API key with the scope <c>snapshot</c>.</summary>
    public string SnapshotKeyFile { get; }

    private static ulong NowMs => (ulong)TimeProvider.System.GetUtcNow().ToUnixTimeMilliseconds();

    private string ConnectionString => $"Data Source={Folder.Database}";

    /// <summary>Creates a log whose epoch 0 is published.</summary>
    /// <param name="periodLengthMs">The least period length T of the log, in milliseconds. Before each switch, the records' times advance
    /// by this length.</param>
    public static async Task<TestLog> CreateAsync(ulong periodLengthMs = 1)
    {
        var folder = new DataFolder(Directory.CreateTempSubdirectory("optiks-log-").FullName);
        var provider = new SqliteStorageProvider();
        string connection = $"Data Source={folder.Database}";
        await provider.CreateMigrator(connection).MigrateAsync(CancellationToken.None);
        using var secretSource = new FileSecretSource(folder, KeyRing.LoadOrCreate(folder));
        // The log promises heartbeats only once a day: nobody publishes heartbeats here, and the tests may run longer than the default of 5
        // minutes.
        const uint maxBehindMs = 24 * 3_600_000;
        (TrustAnchor anchor, INoteSigner signer) = secretSource.CreateLog(
            new Configuration
            {
                Origin = "localhost/test",
                MaxAheadMs = 60_000,
                MaxBehindMs = maxBehindMs,
                PeriodLengthMs = periodLengthMs,
            });
        using var secrets = DirectorySecrets.Generate();
        var directory = KeyDirectory.Create(
            new DirectoryOptions { Secrets = secrets, MaxValueLength = anchor.Configuration.MaxValueLength });
        string boardFolder = Path.Combine(folder.Board, "log");
        Directory.CreateDirectory(boardFolder);
        BoardWriter board = await BoardWriter.OpenAsync(boardFolder, anchor.LogKey, Ed25519.Verifier, CancellationToken.None);
        PipelineStore pipeline = await provider.OpenPipelineAsync(connection, CancellationToken.None);
        IAcceptStore accept = await provider.OpenAcceptAsync(connection, CancellationToken.None);
        Lease lease = (await pipeline.AcquireLeaseAsync(Holder, TimeSpan.FromHours(1), CancellationToken.None))!;
        var log = new TestLog(folder, anchor, directory, signer, board, boardFolder, pipeline, accept, lease);

        byte[] record = new EpochRecord
        {
            LogId = anchor.LogId,
            Epoch = 0,
            Period = 0,
            PeriodFirstEpoch = 0,
            TimeMs = NowMs,
            Structures = directory.States(out _),
            Previous = new byte[EpochRecord.HashLength],
        }.Encode();
        var row = new EpochRow(0, record, EpochRecord.Hash(record), default);
        byte[] wrapped = secretSource.WrapPeriod(secrets, 0, anchor.LogId.Span);
        log.WrappedSecrets = wrapped;
        await pipeline.CreateGenesisAsync(lease, row, PeriodRow.Genesis(wrapped, anchor.ConfigurationOctets), CancellationToken.None);
        await log.FinishAsync(row, null);
        return log;
    }

    /// <summary>Writes a row for period 1 with the state <c>Next</c> and with unusable secrets.</summary>
    public Task<PeriodRow> BeginPeriodAsync() => _pipeline.BeginPeriodAsync(_lease, 1, "no secrets"u8.ToArray(), CancellationToken.None);

    /// <summary>
    /// Makes one epoch of updates to keys, given as text. If the function <paramref name="tamper"/> is given, it changes the epoch's record
    /// before the log stores and signs it.
    /// </summary>
    public Task<EpochRow> PublishAsync(IReadOnlyList<(string Key, byte[] Value)> updates, Func<EpochRecord, EpochRecord>? tamper = null) =>
        PublishItemsAsync([.. updates.Select(update => Item(StructureId.Keys, update.Key, update.Value))], tamper);

    /// <summary>Creates an update item from a key, given as text, and its new value.</summary>
    public static AcceptItem Item(StructureId structure, string key, byte[] value) =>
        new(structure, Encoding.UTF8.GetBytes(key), value, null);

    /// <summary>Makes one epoch with a leaf for each item; the keys may be of any structure.</summary>
    public async Task<EpochRow> PublishItemsAsync(IReadOnlyList<AcceptItem> items, Func<EpochRecord, EpochRecord>? tamper = null)
    {
        ulong epoch = (ulong)Records.Count;
        Guid requestId = Guid.CreateVersion7(TimeProvider.System.GetUtcNow());
        long sequence = 0;
        if (items.Count > 0)
        {
            IReadOnlyList<AcceptResult> results = await _accept.AcceptAsync(
                [new AcceptUnit([new AcceptRequest(requestId, SHA256.HashData(requestId.ToByteArray()), items)])], CancellationToken.None);
            Assert.Equal(AcceptStatus.Accepted, results[0].Status);
            sequence = (await _pipeline.ReadPendingAsync(1000, long.MaxValue, CancellationToken.None)).Single().Sequence;
        }
        LeafBatch leaves = MakeLeaves(epoch, items, requestId, out int[] inputs);
        _copies.Remember(epoch, items, leaves);
        return await PublishAsync(epoch, leaves,
            [.. inputs.Select((input, ordinal) => new Outcome(requestId, sequence, input, new ItemResult.Leaf(ordinal)))], [], tamper);
    }

    private async Task<EpochRow> PublishAsync(ulong epoch, LeafBatch leaves, IReadOnlyList<Outcome> outcomes,
        IReadOnlyList<Erasure> erasures, Func<EpochRecord, EpochRecord>? tamper)
    {
        EpochRow previous = Records[^1];
        byte[] appendProofs;
        byte[] record;
        using (StagedEpoch staged = _directory.Stage(epoch, leaves.Rows.Span, leaves.Values.Span, withProofs: true))
        {
            ulong least = EpochRecord.Decode(previous.Record.Span).TimeMs + 1;
            var honest = new EpochRecord
            {
                LogId = Anchor.LogId,
                Epoch = epoch,
                Period = Period,
                PeriodFirstEpoch = _periodFirstEpoch,
                TimeMs = Math.Max(NowMs, least),
                Structures = staged.States(),
                Previous = previous.RecordHash,
            };
            record = (tamper is null ? honest : tamper(honest)).Encode();
            appendProofs = staged.AppendProofs();
            staged.Commit();
        }
        var row = new EpochRow(epoch, record, EpochRecord.Hash(record), default);
        var commit = new EpochCommit(row, previous.RecordHash, Period, leaves, outcomes) { Erasures = erasures };
        CommitResult committed = await _pipeline.CommitEpochAsync(_lease, commit, CancellationToken.None);
        Assert.Equal(CommitResult.Committed, committed);
        _copies.LoadNames(epoch, leaves.Rows.ToArray(), leaves.Values.ToArray());
        await FinishAsync(row, AuditProof.Encode([previous.Record, row.Record], appendProofs));
        return row;
    }

    /// <summary>Makes one epoch of updates whose values are text.</summary>
    public Task<EpochRow> PublishAsync(params (string Key, string Value)[] updates) =>
        PublishAsync([.. updates.Select(update => (update.Key, Encoding.UTF8.GetBytes(update.Value)))]);

    /// <summary>Makes one epoch that erases versions of keys, given as text, even if the update-task would refuse the erasure.</summary>
    public async Task EraseAsync(params (string Key, ulong Version)[] versions)
    {
        var erased = new List<Func<LeafOrigin, Erasure>>();
        foreach ((string key, ulong version) in versions)
        {
            // If no epoch has a leaf of the version, the version is a copy. The number of the copy's last row identifies the copy.
            LeafPlace? place = NameOf(key, version).Epoch == 0 ? null : await FindAsync(key, version);
            erased.Add(origin => place is null
                ? new Erasure(0, _copies.FindCopy(StructureId.Keys, key), origin) { Period = Period }
                : new Erasure(place.Epoch, place.Ordinal, origin));
        }
        await EraseAsync(versions[0].Key, erased);
    }

    /// <summary>Makes one epoch that erases the given leaves, which may belong to any period.</summary>
    public Task EraseAsync(string key, params LeafPlace[] places) =>
        EraseAsync(key, places.Select(Func<LeafOrigin, Erasure> (place) => origin => new Erasure(place.Epoch, place.Ordinal, origin)));

    /// <summary>Finds the leaf of a key's version in the current period; the version must not be a copy.</summary>
    public async Task<LeafPlace> FindAsync(string key, ulong version) =>
        (await _pipeline.FindLeavesAsync([NameOf(key, version)], CancellationToken.None))[0]!;

    private async Task EraseAsync(string key, IEnumerable<Func<LeafOrigin, Erasure>> erased)
    {
        ulong epoch = (ulong)Records.Count;
        AcceptItem order = new ErasureOrder(StructureId.Keys, 1, 1).ToItem(Encoding.UTF8.GetBytes(key));
        Guid requestId = Guid.CreateVersion7(TimeProvider.System.GetUtcNow());
        IReadOnlyList<AcceptResult> results = await _accept.AcceptAsync(
            [new AcceptUnit([new AcceptRequest(requestId, SHA256.HashData(requestId.ToByteArray()), [order])])], CancellationToken.None);
        Assert.Equal(AcceptStatus.Accepted, results[0].Status);
        long sequence = (await _pipeline.ReadPendingAsync(1000, long.MaxValue, CancellationToken.None)).Single().Sequence;
        var origin = new LeafOrigin(requestId, 0);
        Erasure[] erasures = [.. erased.Select(erasure => erasure(origin))];
        await PublishAsync(epoch, LeafBatch.Empty, [new Outcome(requestId, sequence, 0, new ItemResult.Erased())], erasures,
            tamper: null);
    }

    /// <summary>Makes the next period's secrets, and its trees, which have no copies yet.</summary>
    public async Task BeginNextAsync()
    {
        using var source = new FileSecretSource(Folder, KeyRing.Load(Folder));
        PeriodRow current = PeriodRows.Current(await _pipeline.ReadPeriodsAsync(CancellationToken.None));
        using DirectorySecrets secrets = source.UnwrapPeriod(current.WrappedSecrets.Span, Period, Anchor.LogId.Span);
        using DirectorySecrets next = secrets.NextPeriod();
        _ = await _pipeline.BeginPeriodAsync(
            _lease, Period + 1, source.WrapPeriod(next, Period + 1, Anchor.LogId.Span), CancellationToken.None);
        _copies.Begin(KeyDirectory.Create(
            new DirectoryOptions { Secrets = next, MaxValueLength = Anchor.Configuration.MaxValueLength, Period = Period + 1 }));
    }

    /// <summary>Stages the latest version of each key, given as text. If a text begins with a minus, stages a row that removes that key's
    /// copy.</summary>
    public Task StageAsync(params string[] keys) => StageAsync([.. keys.Select(key => (StructureId.Keys, key))]);

    /// <summary>Stages every key that is not staged yet or that got a new version after it was staged.</summary>
    public Task StageAllAsync() => StageAsync(_copies.Unstaged);

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
        CopyBatch copies = _copies.Add(Period + 1, keys);
        CopyBatch stored = tamper is null ? copies : copies with { Rows = tamper(copies.Rows.ToArray()) };
        Assert.Equal(StageResult.Staged, await _pipeline.StageCopiesAsync(_lease, stored, CancellationToken.None));
    }

    /// <summary>
    /// Makes the next period's first epoch from the staged copies. If the function <paramref name="tamper"/> is given, it changes the
    /// epoch's record before the log stores and signs it.
    /// </summary>
    public async Task<EpochRow> SwitchAsync(Func<EpochRecord, EpochRecord>? tamper = null)
    {
        EpochRow previous = Records[^1];
        ulong epoch = (ulong)Records.Count;
        byte[] record;
        byte[] appendProofs;
        using (StagedEpoch staged = _copies.Next!.StartPeriod(epoch, [], [], withProofs: true))
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
        { Switch = new PeriodSwitch(Period + 1, _copies.Count) };
        Assert.Equal(CommitResult.Committed, await _pipeline.CommitEpochAsync(_lease, commit, CancellationToken.None));
        _directory.Dispose();
        _directory = _copies.Switch(epoch);
        Period++;
        _periodFirstEpoch = epoch;
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

    /// <summary>
    /// Publishes an epoch on the board first, then runs the function <paramref name="meanwhile"/>, and only then publishes the epoch in the
    /// database, which query-services follow.
    /// </summary>
    public async Task PublishOnBoardFirstAsync(Func<Task> meanwhile)
    {
        _isHeldBack = true;
        EpochRow row = await PublishAsync(("dave", "new"));
        await meanwhile();
        _isHeldBack = false;
        await _pipeline.PublishAsync(_lease, row.Epoch, CancellationToken.None);
    }

    /// <summary>Closes the database, lets a test change its files, and opens it again.</summary>
    public async Task WithDatabaseClosedAsync(Action<string[]> action)
    {
        await _pipeline.DisposeAsync();
        await _accept.DisposeAsync();
        action([Folder.Database, Folder.Database + "-wal", Folder.Database + "-shm"]);
        _pipeline = await _provider.OpenPipelineAsync(ConnectionString, CancellationToken.None);
        _accept = await _provider.OpenAcceptAsync(ConnectionString, CancellationToken.None);
        _lease = (await _pipeline.AcquireLeaseAsync(Holder, TimeSpan.FromHours(1), CancellationToken.None))!;
    }

    /// <summary>Writes a snapshot and its leaf log that were made with the log's secrets, but with leaves that the log does not
    /// have.</summary>
    public void Forge(ulong epochs, string snapshotFile, string leafLog)
    {
        using var source = new FileSecretSource(Folder, KeyRing.Load(Folder));
        using DirectorySecrets secrets = source.UnwrapPeriod(WrappedSecrets.Span, 0, Anchor.LogId.Span);
        using var directory = KeyDirectory.Create(
            new DirectoryOptions { Secrets = secrets, LeafLogPath = leafLog, MaxValueLength = Anchor.Configuration.MaxValueLength });
        for (ulong epoch = 1; epoch <= epochs; epoch++)
        {
            using var keys = new ByteStrings();
            using var values = new ByteStrings();
            keys.Add("alice"u8);
            values.Add("mallory's"u8);
            var rows = new LeafRow[1];
            directory.Prepare(epoch, [StructureId.Keys], keys, values, rows);
            using StagedEpoch staged = directory.Stage(epoch, rows, "mallory's"u8, withProofs: false);
            staged.Commit();
        }
        using DirectoryView view = directory.TakeView();
        view.Save(snapshotFile);
    }

    /// <summary>Whether the log holds back the checkpoints of new epochs, as the update-task does while it waits for witnesses.</summary>
    public bool HoldsCheckpoints { get; set; }

    /// <summary>Publishes the newest checkpoint.</summary>
    public async Task PublishCheckpointAsync()
    {
        using BoardLock boardLock = BoardLock.TryAcquire(_boardFolder)!;
        await _board.PublishAsync(boardLock, Records[^1].Checkpoint, CancellationToken.None);
    }

    /// <summary>Signs a checkpoint of a size and root that the log does not have, with the log's key.</summary>
    public async Task<byte[]> SignAsync(ulong size, TreeHash root) =>
        (await SignedNote.SignAsync(
            new Checkpoint(Anchor.Configuration.Origin, size, root).Encode(), _signer, CancellationToken.None)).Encode();

    public async ValueTask DisposeAsync()
    {
        await _pipeline.DisposeAsync();
        await _accept.DisposeAsync();
        _directory.Dispose();
        _copies.Dispose();
        (_signer as IDisposable)?.Dispose();
        Directory.Delete(Folder.Root, recursive: true);
    }

    private LeafName NameOf(string key, ulong version)
    {
        byte[] label = new byte[Lengths.Hash];
        ulong[] epochs = new ulong[1];
        Assert.True(_directory.TryLeaves(StructureId.Keys, Encoding.UTF8.GetBytes(key), version, label, epochs));
        return new LeafName(epochs[0], StructureId.Keys, label);
    }

    private LeafBatch MakeLeaves(ulong epoch, IReadOnlyList<AcceptItem> items, Guid requestId, out int[] inputs)
    {
        inputs = new int[items.Count];
        if (items.Count == 0)
        {
            return LeafBatch.Empty;
        }
        using var keys = new ByteStrings();
        using var values = new ByteStrings();
        foreach (AcceptItem item in items)
        {
            keys.Add(item.Key.Span);
            values.Add(item.Value.Span);
        }
        var rows = new LeafRow[items.Count];
        _directory.Prepare(epoch, [.. items.Select(item => item.Structure)], keys, values, rows);
        var sortedKeys = new List<byte>();
        int[] keyEnds = new int[rows.Length];
        var origins = new LeafOrigin[rows.Length];
        for (int i = 0; i < rows.Length; i++)
        {
            inputs[i] = rows[i].InputIndex;
            sortedKeys.AddRange(keys[inputs[i]]);
            keyEnds[i] = sortedKeys.Count;
            origins[i] = new LeafOrigin(requestId, inputs[i]);
        }
        return new LeafBatch(rows, values.Blob.ToArray(), sortedKeys.ToArray(), keyEnds, origins);
    }

    private async Task FinishAsync(EpochRow row, byte[]? auditProof)
    {
        using BoardLock boardLock = BoardLock.TryAcquire(_boardFolder)!;
        var checkpoint = new Checkpoint(Anchor.Configuration.Origin, row.Epoch + 1, _board.RootWith(row.Record.Span));
        byte[] note = (await SignedNote.SignAsync(checkpoint.Encode(), _signer, CancellationToken.None)).Encode();
        await _pipeline.StoreCheckpointAsync(_lease, row.Epoch, row.RecordHash, note, CancellationToken.None);
        await _board.AppendAsync(boardLock, row.Epoch, [row.Record], CancellationToken.None);
        if (auditProof is not null)
        {
            new DurableFiles(_boardFolder).WriteOnce(AuditProofPath.ForEpoch(row.Epoch), auditProof);
        }
        if (!HoldsCheckpoints)
        {
            await _board.PublishAsync(boardLock, note, CancellationToken.None);
        }
        if (!_isHeldBack)
        {
            await _pipeline.PublishAsync(_lease, row.Epoch, CancellationToken.None);
        }
        Records.Add(row with { Checkpoint = note });
    }
}
