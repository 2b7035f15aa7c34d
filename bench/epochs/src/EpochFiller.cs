using System.Globalization;
using System.Text;
using Optiks.ApiKeys;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Storage;
using Optiks.Storage.Sqlite;
using Optiks.Tlog;

namespace Optiks.Epochs;

/// <summary>
/// Fills a data folder with a log whose epochs have one new key each. The caller must have migrated the folder's SQLite database. The
/// filler makes trees, records, checkpoints, tiles and audit proofs with the same libraries as the update-task. To make an epoch in a
/// fraction of a millisecond, it writes the database in one transaction, syncs no audit proof, and makes partial tiles only for the newest
/// epoch. If the filler is interrupted, the log is unusable.
/// </summary>
internal sealed class EpochFiller : IDisposable
{
    // The log's `MaxBehindMs`. It is a day, so that the newest record stays fresh during a whole measurement.
    private const uint MaxBehindMs = 86_400_000;

    // The number of leaves that the filler prepares in one batch. A batch computes the labels in a tenth of the time that single leaves
    // need.
    private const int RoundEpochs = 4096;

    private readonly DataFolder _folder;
    private readonly FileSecretSource _source;
    private readonly DirectorySecrets _secrets;
    private readonly KeyDirectory _directory;
    private readonly TrustAnchor _anchor;
    private readonly INoteSigner _signer;
    private readonly string _board;
    private readonly CompactRange _tree = new();
    private readonly ulong _firstTimeMs;
    private EpochRow? _last;

    /// <summary>
    /// Creates a filler of a new log whose epoch 0 has the given time. Each later epoch is a millisecond after the epoch before it.
    /// </summary>
    public EpochFiller(DataFolder folder, ulong firstTimeMs)
    {
        (_folder, _firstTimeMs) = (folder, firstTimeMs);
        _source = new FileSecretSource(folder, KeyRing.LoadOrCreate(folder));
        (_anchor, _signer) = _source.CreateLog(
            new Configuration
            {
                Origin = "bench.example/epochs",
                MaxAheadMs = 60_000,
                MaxBehindMs = MaxBehindMs,
                PeriodLengthMs = MaxBehindMs,
            });
        ApiKey.EnsureDevelopmentKey(folder);
        _secrets = DirectorySecrets.Generate();
        _directory = KeyDirectory.Create(
            new DirectoryOptions
            {
                Secrets = _secrets,
                Values = KeptValues.None,
                MaxValueLength = _anchor.Configuration.MaxValueLength,
                Threads = DirectoryOptions.AllProcessors,
            });
        _board = Path.Combine(folder.Board, "log");
        DataFolder.CreateFolder(_board);
    }

    private static ReadOnlySpan<byte> Value => "v"u8;

    /// <summary>Makes epoch 0, and then as many further epochs as <paramref name="epochs"/> says.</summary>
    public async Task RunAsync(int epochs, CancellationToken cancellationToken)
    {
        await using MaintenanceStore store =
            await new SqliteStorageProvider().OpenMaintenanceAsync($"Data Source={_folder.Database}", cancellationToken);
        await using StorageImport import = await store.BeginImportAsync(cancellationToken);
        BoardWriter board = await BoardWriter.OpenAsync(_board, _anchor.LogKey, Ed25519.Verifier, cancellationToken);
        using BoardLock boardLock = BoardLock.TryAcquire(_board) ?? throw new IOException($"{_board} is in use.");

        await import.AddPeriodsAsync(
            [PeriodRow.Genesis(_source.WrapPeriod(_secrets, period: 0, _anchor.LogId.Span), _anchor.ConfigurationOctets)],
            cancellationToken);
        EpochRow genesis = await SignAsync(0, _directory.States(out _), cancellationToken);
        await import.AddEpochsAsync([new StoredEpoch(genesis, 0, 0)], cancellationToken);
        await board.AppendAsync(boardLock, 0, [genesis.Record], cancellationToken);
        for (int first = 1; first <= epochs; first += RoundEpochs)
        {
            var rows = new List<StoredEpoch>(RoundEpochs);
            var leaves = new List<StoredLeaf>(RoundEpochs);
            foreach (LeafRow leaf in Prepare(first, Math.Min(RoundEpochs, epochs - first + 1)))
            {
                rows.Add(new StoredEpoch(await AddAsync(leaf, cancellationToken), 1, Value.Length));
                leaves.Add(Stored(leaf));
            }
            await import.AddEpochsAsync(rows, cancellationToken);
            await import.AddLeavesAsync(leaves, cancellationToken);
            await board.AppendAsync(boardLock, rows[0].Row.Epoch, [.. rows.Select(row => row.Row.Record)], cancellationToken);
        }
        EpochRow last = _last!;
        await import.CommitAsync(new HeadRow(last.Epoch, last.RecordHash, last.Epoch, 1, "", DateTimeOffset.UnixEpoch), cancellationToken);
        string mark = HighWaterMark.PathIn(_folder);
        DataFolder.CreateFolder(Path.GetDirectoryName(mark)!);
        AtomicFile.Write(mark, new HighWaterMark(last.Epoch, last.RecordHash).Encode(), AtomicFile.PrivateMode);
        _ = await board.PublishAsync(boardLock, last.Checkpoint, cancellationToken);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _directory.Dispose();
        _secrets.Dispose();
        (_signer as IDisposable)?.Dispose();
        _source.Dispose();
    }

    private static byte[] Key(ulong epoch) => Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"key-{epoch}"));

    // Prepares one leaf for each epoch, from epoch `first` on, and returns the leaves in the order of their epochs.
    private LeafRow[] Prepare(int first, int count)
    {
        using var keys = new ByteStrings(count);
        using var values = new ByteStrings(count);
        for (int i = 0; i < count; i++)
        {
            keys.Add(Key((ulong)(first + i)));
            values.Add(Value);
        }
        var sorted = new LeafRow[count];
        _directory.Prepare((ulong)first, [.. Enumerable.Repeat(StructureId.Keys, count)], keys, values, sorted);
        var leaves = new LeafRow[count];
        foreach (LeafRow leaf in sorted)
        {
            LeafRow alone = leaf;
            (alone.Epoch, alone.ValueOffset, alone.InputIndex) = ((ulong)(first + leaf.InputIndex), 0, 0);
            leaves[leaf.InputIndex] = alone;
        }
        return leaves;
    }

    private async Task<EpochRow> AddAsync(LeafRow leaf, CancellationToken cancellationToken)
    {
        EpochRow previous = _last!;
        using StagedEpoch staged = _directory.Stage(leaf.Epoch, [leaf], Value, withProofs: true);
        EpochRow row = await SignAsync(leaf.Epoch, staged.States(), cancellationToken);
        string audit = Path.Combine(_board, AuditProofPath.ForEpoch(leaf.Epoch));
        if (leaf.Epoch == 1 || leaf.Epoch % 1000 == 0)
        {
            _ = Directory.CreateDirectory(Path.GetDirectoryName(audit)!);
        }
        await File.WriteAllBytesAsync(audit, AuditProof.Encode([previous.Record, row.Record], staged.AppendProofs()), cancellationToken);
        staged.Commit();
        return row;
    }

    // Returns the record of the next epoch, with the signed checkpoint of the log that ends with this record.
    private async Task<EpochRow> SignAsync(ulong epoch, StructureState[] states, CancellationToken cancellationToken)
    {
        byte[] record = new EpochRecord
        {
            LogId = _anchor.LogId,
            Epoch = epoch,
            Period = 0,
            PeriodFirstEpoch = 0,
            TimeMs = _firstTimeMs + epoch,
            Structures = states,
            Previous = _last?.RecordHash ?? new byte[EpochRecord.HashLength],
        }.Encode();
        _tree.Append(Rfc6962.LeafHash(record));
        SignedNote note = await SignedNote.SignAsync(
            new Checkpoint(_anchor.Configuration.Origin, epoch + 1, _tree.Root()).Encode(), _signer, cancellationToken);
        return _last = new EpochRow(epoch, record, EpochRecord.Hash(record), note.Encode());
    }

    private static StoredLeaf Stored(LeafRow leaf) => new(
        leaf.Epoch, 0, leaf.Structure, 0, leaf.Version, leaf.Label.ToArray(), leaf.Commitment.ToArray(), leaf.Tag.ToArray(),
        new LeafOrigin(Guid.CreateVersion7(TimeProvider.System.GetUtcNow()), 0),
        new StoredValue(leaf.Opening.ToArray(), Key(leaf.Epoch), Value.ToArray()));
}
