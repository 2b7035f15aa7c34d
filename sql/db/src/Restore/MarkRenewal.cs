using Optiks.Db.Fsck;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Tlog;

namespace Optiks.Db.Restore;

/// <summary>
/// Creates the high-water mark of a log again after the folder <c>board/state</c> was lost. The new mark is at the last epoch of the
/// database, which must contain everything that the log is known to have signed.
/// </summary>
/// <remarks>
/// The mark prevents an update-task from signing a second history on an older copy of the database. Without the mark, only checkpoints that
/// other parties have show how far the log had come, so the operator supplies the newest of these checkpoints. If the database does not
/// reach one of them, or has other records, it gets no mark. One of the checkpoints must reach the epoch that the database says was
/// published, because older checkpoints would fit even an old copy of the database.
/// </remarks>
internal static class MarkRenewal
{
    private const int EpochsPerPage = 4096;

    /// <summary>
    /// Writes and returns the mark. If a mark exists, if an update-task holds the lease, or if the database does not cover a checkpoint,
    /// writes nothing and throws.
    /// </summary>
    public static async Task<HighWaterMark> RunAsync(
        MaintenanceStore store, TrustAnchor anchor, string folder, IReadOnlyList<string> checkpoints, CancellationToken cancellationToken)
    {
        var board = new BoardPaths(folder);
        ThrowIfPresent(board);
        HeadRow head = await store.ReadHeadAsync(cancellationToken);
        Lease lease = await BundleImport.TakeLeaseAsync(store, head, cancellationToken);
        try
        {
            // The code checks again that no mark exists, now that this program holds the lease. From now on, no other program can change
            // the head row, and no update-task can start and create a mark.
            ThrowIfPresent(board);
            head = await store.ReadHeadAsync(cancellationToken);
            ulong last = head.Epoch ?? throw new StorageMisconfiguredException("The database has no log.");
            List<Evidence> evidence = await ReadAsync(anchor, board, checkpoints, cancellationToken);
            Evidence newest = evidence.MaxBy(one => one.Size)!;
            if (newest.Size > last + 1)
            {
                throw new StorageMisconfiguredException(
                    $"The database ends at epoch {last}, but {newest.Source} covers epoch {newest.Size - 1}: this is an older copy. Nothing was written. Put the newest copy of the database back.");
            }
            if (newest.Size <= head.PublishedEpoch)
            {
                throw new StorageMisconfiguredException(
                    $"Epoch {head.PublishedEpoch} was published by this database, but {newest.Source}, the newest checkpoint, ends at epoch {newest.Size - 1}. Nothing was written. Give the newest checkpoint that anyone has.");
            }
            HighWaterMark mark = await CompareAsync(store, anchor, evidence, last, cancellationToken);
            string state = Path.GetDirectoryName(board.HighWater)!;
            DataFolder.CreateFolder(board.Bundles);
            new DurableFiles(state).Replace(Path.GetFileName(board.HighWater), mark.Encode());
            return mark;
        }
        finally
        {
            await store.ReleaseLeaseAsync(lease, CancellationToken.None);
        }
    }

    private static void ThrowIfPresent(BoardPaths board)
    {
        if (File.Exists(board.HighWater) || (Directory.Exists(board.Bundles) && BoardPaths.BundlesIn(board.Bundles).Count > 0))
        {
            throw new StorageMisconfiguredException(
                $"{Path.GetDirectoryName(board.HighWater)} has the log's mark or bundles, which are never replaced: see 'optiks-db import-bundles'. Nothing was written.");
        }
    }

    // Reads the given checkpoints and the checkpoints that the board itself still has.
    private static async Task<List<Evidence>> ReadAsync(
        TrustAnchor anchor, BoardPaths board, IReadOnlyList<string> files, CancellationToken cancellationToken)
    {
        var evidence = new List<Evidence>();
        void Add(string source, byte[] note)
        {
            Reason reason = LogVerifier.Checkpoint(anchor, note, out ulong size, out byte[] root);
            evidence.Add(reason == Reason.Valid
                ? new Evidence(source, size, TreeHash.FromBytes(root))
                : throw new StartupException($"{source} is not a checkpoint of this log ({reason.Name()}). Nothing was written."));
        }
        foreach (string file in files)
        {
            Add(file, await File.ReadAllBytesAsync(file, cancellationToken));
        }
        var reader = new DirectoryTileReader(board.Log);
        if (await reader.ReadCheckpointAsync(cancellationToken) is { } published)
        {
            Add("the board's checkpoint", published);
        }
        if (await reader.ReadSignedAsync(cancellationToken) is { } signed)
        {
            Add("the board's checkpoint that waits for witnesses", signed);
        }
        return evidence;
    }

    // Checks that the database's records have the roots that the checkpoints name.
    private static async Task<HighWaterMark> CompareAsync(
        MaintenanceStore store, TrustAnchor anchor, List<Evidence> evidence, ulong last, CancellationToken cancellationToken)
    {
        var tree = new CompactRange();
        EpochRow? row = null;
        while (tree.Size <= last)
        {
            IReadOnlyList<EpochRow> page =
                await store.ReadEpochsAsync(tree.Size, Math.Min(last, tree.Size + EpochsPerPage - 1), cancellationToken);
            if (page.Count == 0)
            {
                throw new StorageCorruptException($"The database lacks epoch {tree.Size}. Nothing was written.");
            }
            foreach (EpochRow epoch in page)
            {
                row = epoch;
                if (epoch.Epoch != tree.Size)
                {
                    throw new StorageCorruptException($"The database lacks epoch {tree.Size}. Nothing was written.");
                }
                if (epoch.Epoch == 0 && !EpochRecord.Decode(epoch.Record.Span).LogId.Span.SequenceEqual(anchor.LogId.Span))
                {
                    throw new StartupException(
                        "The database belongs to another log than the data folder's trust.json: OPTIKS_DATA and the connection string must belong together.");
                }
                tree.Append(Rfc6962.LeafHash(epoch.Record.Span));
                if (evidence.Find(one => one.Size == tree.Size && one.Root != tree.Root()) is { } other)
                {
                    throw new StorageCorruptException(
                        $"{other.Source} belongs to another history than the database, up to epoch {epoch.Epoch}. Nothing was written. Keep both as evidence.");
                }
            }
        }
        return new HighWaterMark(last, row!.RecordHash);
    }

    private sealed record Evidence(string Source, ulong Size, TreeHash Root);
}
