using Optiks.Commands;
using Optiks.Db.Fsck;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Storage;
using Optiks.Tlog;

namespace Optiks.Db.Restore;

/// <summary>
/// Adds to an older copy of a database the epochs that it lacks, from their bundles, in one transaction per epoch. The operator can stop
/// the import at any time and repeat it.
/// </summary>
/// <remarks>
/// <para>The import adds an epoch only if its record follows the previous record, by its hash and by the rules of docs/spec/records.md, and
/// if the epoch's leaves produce the record's roots.</para>
/// <para>An epoch that the log has signed before is signed again. Because Ed25519 is deterministic, the checkpoint is the same. If the
/// board's checkpoint does not cover an epoch and no later bundle follows it, the log may not have signed it. The import leaves such an
/// epoch unsigned, and the update-task finishes it.</para>
/// </remarks>
internal sealed class BundleImport : IDisposable
{
    private const int RowsPerLoad = 65_536;

    private static readonly TimeSpan s_lease = TimeSpan.FromMinutes(1);

    private readonly MaintenanceStore _store;
    private readonly TrustAnchor _anchor;
    private readonly INoteSigner _signer;
    private readonly LogReplay _replay;
    private readonly Lease _lease;
    private readonly CopyImport _copies;
    private long _leased = TimeProvider.System.GetTimestamp();

    private BundleImport(MaintenanceStore store, TrustAnchor anchor, INoteSigner signer, Lease lease, CopyImport copies, ulong period)
    {
        _copies = copies;
        _store = store;
        _anchor = anchor;
        _signer = signer;
        _lease = lease;
        _replay = new LogReplay(store, anchor, LogTrees.CreateWithoutSecrets(anchor.Configuration, period), LogRoots.Computed)
        {
            NextTrees = next => LogTrees.CreateWithoutSecrets(anchor.Configuration, next.Period),
        };
    }

    /// <summary>
    /// Adds the missing epochs. Throws <see cref="StorageMisconfiguredException"/> if an update-task holds the lease, and
    /// <see cref="StorageCorruptException"/> if a bundle does not follow the database's epochs.
    /// </summary>
    public static async Task<BundleImportResult> RunAsync(
        MaintenanceStore store, TrustAnchor anchor, INoteSigner signer, ISecretSource secrets, string folder, BoardPaths board,
        TerminalProgress progress, CancellationToken cancellationToken)
    {
        HeadRow head = await store.ReadHeadAsync(cancellationToken);
        if (head.Epoch is null)
        {
            throw new StorageMisconfiguredException(
                "The database has no log: bundles only add epochs to an older copy. Restore a backup first.");
        }
        Lease lease = await TakeLeaseAsync(store, head, cancellationToken);
        try
        {
            // The head row is read again now that this program holds the lease, because no other program can change it from now on.
            head = await store.ReadHeadAsync(cancellationToken);
            ulong period = PeriodRows.Current(await store.ReadPeriodsAsync(cancellationToken)).Period;
            using var import = new BundleImport(
                store, anchor, signer, lease, new CopyImport(store, lease, secrets, anchor, BoardPaths.CopyBundlesIn(folder)), period);
            return await import.ImportAsync(
                head, BoardPaths.BundlesIn(folder), await BoardSizeAsync(board, anchor, cancellationToken), progress, cancellationToken);
        }
        finally
        {
            await store.ReleaseLeaseAsync(lease, CancellationToken.None);
        }
    }

    public void Dispose() => _replay.Dispose();

    /// <summary>
    /// Takes the update-task's lease for one minute. Throws <see cref="StorageMisconfiguredException"/> if an update-task holds it.
    /// </summary>
    public static async Task<Lease> TakeLeaseAsync(MaintenanceStore store, HeadRow head, CancellationToken cancellationToken) =>
        await store.AcquireLeaseAsync($"optiks-db {Environment.MachineName} {Environment.ProcessId}", s_lease, cancellationToken)
            ?? throw new StorageMisconfiguredException(
                $"An update-task ({head.Holder}) holds the lease until {head.LeaseEnd:u}: stop it first.");

    private static async Task<ulong> BoardSizeAsync(BoardPaths board, TrustAnchor anchor, CancellationToken cancellationToken)
    {
        if (await new DirectoryTileReader(board.Log).ReadCheckpointAsync(cancellationToken) is not { } note)
        {
            return 0;
        }
        Reason reason = LogVerifier.Checkpoint(anchor, note, out ulong size, out _);
        return reason == Reason.Valid
            ? size
            : throw new StorageCorruptException(
                $"The checkpoint in {board.Log} is not from this log ({reason.Name()}): nothing was written.");
    }

    private async Task<BundleImportResult> ImportAsync(
        HeadRow head, IReadOnlyList<(ulong Epoch, string Path)> bundles, ulong boardSize, TerminalProgress progress,
        CancellationToken cancellationToken)
    {
        ulong headEpoch = head.Epoch!.Value;
        progress.Show("epochs", 0, headEpoch);
        EpochRow last = await LoadAsync(headEpoch, cancellationToken);
        (ulong Epoch, string Path)[] missing = [.. bundles.Where(bundle => bundle.Epoch > last.Epoch)];
        ulong newest = Math.Max(bundles.Count == 0 ? 0 : bundles[^1].Epoch, last.Epoch);
        if (bundles.FirstOrDefault(bundle => bundle.Epoch == last.Epoch) is { Path: { } path }
            && !(await ReadAsync(last.Epoch, path, cancellationToken)).Epoch.RecordHash.Span.SequenceEqual(last.RecordHash.Span))
        {
            throw new StorageCorruptException(
                $"The bundle {path} holds another record for epoch {last.Epoch} than the database: they belong to different histories. Nothing was written.");
        }
        if (head.PublishedEpoch != head.Epoch)
        {
            await FinishAsync(last, newest, boardSize, cancellationToken);
        }
        await KeepLeaseAsync(cancellationToken);
        long updates = 0;
        foreach ((ulong epoch, string file) in missing)
        {
            await KeepLeaseAsync(cancellationToken);
            EpochContent content = await ReadAsync(epoch, file, cancellationToken);
            await _copies.AddAsync(last.Epoch, cancellationToken);
            if (content.Switch is not null)
            {
                await PrepareSwitchAsync(cancellationToken);
            }
            await RestoreAsync(content, file, cancellationToken);
            updates += content.Leaves.Rows.Length;
            last = content.Epoch;
            await FinishAsync(last, newest, boardSize, cancellationToken);
            progress.Show("bundles", epoch, newest);
        }
        await _copies.AddAsync(last.Epoch, cancellationToken);
        return new BundleImportResult(missing.Length, updates, last.Epoch);
    }

    // Loads the trees at the epoch of the head row.
    private async Task<EpochRow> LoadAsync(ulong head, CancellationToken cancellationToken)
    {
        EpochRow first = await _store.ReadEpochAsync(0, cancellationToken);
        if (first.Record.Length == EpochRecord.Length
            && !EpochRecord.Decode(first.Record.Span).LogId.Span.SequenceEqual(_anchor.LogId.Span))
        {
            throw new StartupException(
                "The database belongs to another log than the data folder's trust.json: OPTIKS_DATA and the connection string must belong together.");
        }
        return await _replay.LoadAsync(head, cancellationToken) is { } refused
            ? throw new StorageCorruptException($"{refused.Why} See 'optiks-db fsck'. Nothing was written.")
            : _replay.Last.Row;
    }

    private static async Task<EpochContent> ReadAsync(ulong epoch, string path, CancellationToken cancellationToken)
    {
        try
        {
            EpochContent content = EpochBundle.Decode(await File.ReadAllBytesAsync(path, cancellationToken));
            return content.Epoch.Epoch == epoch
                ? content
                : throw new StorageCorruptException($"It is the bundle of epoch {content.Epoch.Epoch}.");
        }
        catch (Exception e) when (e is StorageCorruptException or IOException or UnauthorizedAccessException)
        {
            throw new StorageCorruptException($"The bundle {path} cannot be used: {e.Message}", e);
        }
    }

    // Prepares the trees of the next period with all names and copies in the database. If rows are missing, the roots will show it.
    private async Task PrepareSwitchAsync(CancellationToken cancellationToken)
    {
        (ulong? Epoch, int Copies) before;
        do
        {
            await KeepLeaseAsync(cancellationToken);
            before = (_replay.Next?.Epoch, _replay.NextCopies);
            if (await _replay.PrepareNextAsync(RowsPerLoad, cancellationToken) is { } refused)
            {
                throw new StorageCorruptException($"{refused.Why} The database is at epoch {_replay.Last.Row.Epoch}.");
            }
        }
        while ((_replay.Next?.Epoch, _replay.NextCopies) != before);
    }

    private async Task RestoreAsync(EpochContent content, string path, CancellationToken cancellationToken)
    {
        EpochRow last = _replay.Last.Row;
        EpochRow epoch = content.Epoch;
        if (epoch.Epoch != last.Epoch + 1)
        {
            throw new StorageCorruptException(
                $"The bundle of epoch {last.Epoch + 1} is missing: the next one is {path}. The database is at epoch {last.Epoch}.");
        }
        // If the epoch is a switch, the check needs the first record of the last period, whose time shows whether the switch comes too
        // early.
        ReadOnlyMemory<byte> first = content.Switch is null
            ? default
            : (await _store.ReadEpochAsync(_replay.Last.Record.PeriodFirstEpoch, cancellationToken)).Record;
        Reason reason = LogVerifier.VerifyRecord(_anchor, epoch.Record.Span, last.Record.Span, first.Span);
        if (reason != Reason.Valid)
        {
            throw new StorageCorruptException(
                $"The record in {path} does not follow epoch {last.Epoch} of the database ({reason.Name()}): they belong to different histories. The database is at epoch {last.Epoch}.");
        }
        if (!_replay.TryStage(epoch, content.Leaves.Rows.Span, content.Leaves.Values.Span, withProofs: false, out ReplayStep? step,
            out Refused? refused))
        {
            throw new StorageCorruptException(
                $"The bundle {path} contradicts its record. {refused.Why} The database is at epoch {last.Epoch}.");
        }
        using (step)
        {
            await CommitAsync(
                new EpochCommit(epoch, last.RecordHash, step.Epoch.Record.Period, content.Leaves,
                    content.Outcomes)
                { Erasures = content.Erasures, Switch = content.Switch }, path);
            step.Commit();
        }
    }

    private async Task CommitAsync(EpochCommit commit, string path)
    {
        ulong epoch = commit.Epoch.Epoch;
        try
        {
            CommitResult result = await _store.RestoreEpochAsync(_lease, commit, CancellationToken.None);
            if (result != CommitResult.Committed)
            {
                throw result == CommitResult.Fenced
                    ? new StorageFencedException($"Epoch {epoch} was not added: another program writes to this database.")
                    : new StorageUnavailableException($"Whether epoch {epoch} was added is not known: run the command again.");
            }
        }
        catch (ArgumentException e)
        {
            throw new StorageCorruptException(
                $"The bundle {path} contradicts itself or the database: {e.Message} The database is at epoch {epoch - 1}.", e);
        }
    }

    private async Task KeepLeaseAsync(CancellationToken cancellationToken)
    {
        if (TimeProvider.System.GetElapsedTime(_leased) < s_lease / 4)
        {
            return;
        }
        _leased = TimeProvider.System.GetTimestamp();
        if (!await _store.RenewLeaseAsync(_lease, s_lease, cancellationToken))
        {
            throw new StorageFencedException("The lease was lost: another program writes to this database.");
        }
    }

    private async Task FinishAsync(EpochRow epoch, ulong newest, ulong boardSize, CancellationToken cancellationToken)
    {
        if (newest == epoch.Epoch && boardSize <= epoch.Epoch)
        {
            return;
        }
        if (epoch.Checkpoint.IsEmpty)
        {
            var checkpoint = new Checkpoint(_anchor.Configuration.Origin, epoch.Epoch + 1, _replay.Last.Root());
            SignedNote note = await SignedNote.SignAsync(checkpoint.Encode(), _signer, cancellationToken);
            await _store.StoreCheckpointAsync(_lease, epoch.Epoch, epoch.RecordHash, note.Encode(), CancellationToken.None);
        }
        await _store.PublishAsync(_lease, epoch.Epoch, CancellationToken.None);
    }
}
