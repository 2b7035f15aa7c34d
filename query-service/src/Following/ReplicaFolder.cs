using System.Globalization;
using Optiks.Native;
using Optiks.Storage;
using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>
/// Manages the replica's folder, which only one process at a time may use. The folder has the leaf log with a snapshot or a node store,
/// which the replica can rebuild. It also has the number of the highest epoch that the replica ever served, and the replica never serves a
/// lower epoch again.
/// </summary>
internal sealed class ReplicaFolder : IDisposable
{
    private const string HighestName = "highest";

    private readonly FileStream _lock;
    private readonly DurableFiles _files;
    private readonly ReplicaFiles _names;

    private ReplicaFolder(ReplicaFiles names, FileStream lockFile, HighWaterMark? highest)
    {
        _lock = lockFile;
        _names = names;
        _files = new DurableFiles(names.Folder);
        Highest = highest;
    }

    /// <summary>The highest epoch that the replica ever served, with its record's hash; null if it has not served any epoch.</summary>
    public HighWaterMark? Highest { get; private set; }

    /// <summary>
    /// Opens the folder, and creates it if it is missing. Throws <see cref="StartupException"/> if another process has it open.
    /// </summary>
    public static ReplicaFolder Open(ReplicaFiles names)
    {
        string path = names.Folder;
        DataFolder.CreateFolder(path);
        FileStream lockFile;
        try
        {
            // This is a lock of flock, which the process holds until it ends. Without it, a second process could truncate the leaf log that
            // the first one uses.
            lockFile = LockFile.TryTake(Path.Combine(path, "lock"))
                ?? throw new StartupException(
                    $"{path} is in use by another query-service: give this one another port or Optiks:QueryService:Replica.");
        }
        catch (IOException e)
        {
            throw new StartupException(
                $"{ErrorText.Line(e.Message)} Set Optiks:QueryService:Replica to a folder that this user may write.", e);
        }
        try
        {
            var folder = new ReplicaFolder(names, lockFile, HighWaterMark.Read(Path.Combine(path, HighestName)));
            // This loop removes temporary files that an earlier process may have left.
            foreach ((_, TreeFiles files) in folder.ListTrees())
            {
                DropFetched(files);
            }
            return folder;
        }
        catch (InvalidDataException e)
        {
            lockFile.Dispose();
            throw new StartupException(e.Message, e);
        }
    }

    /// <summary>Durably records an epoch as the highest served one. Callers must do so before they serve anything of the epoch.</summary>
    public void Remember(ulong epoch, ReadOnlyMemory<byte> recordHash)
    {
        var mark = new HighWaterMark(epoch, recordHash);
        _files.Replace(HighestName, mark.Encode());
        Highest = mark;
    }

    /// <summary>Returns a refusal if the database is behind the highest served epoch, or has another record for that epoch.</summary>
    public Refused? CheckHead(HeadRow head)
    {
        if (Highest is not { } served)
        {
            return null;
        }
        if (head.PublishedEpoch is not ulong published || published < served.Epoch)
        {
            string newest = head.PublishedEpoch?.ToString(CultureInfo.InvariantCulture) ?? "none";
            return new Refused(
                $"The database is behind: this replica has served epoch {served.Epoch}; the database's newest is {newest}. An older copy was put in the database's place.");
        }
        return head.Epoch == served.Epoch && !served.Names(served.Epoch, head.RecordHash.Span)
            ? new Refused($"The database has another record for epoch {served.Epoch} than this replica served: the log forked.")
            : null;
    }

    /// <summary>
    /// Returns a refusal if the board's checkpoint ends before the highest served epoch. The parameter <paramref name="last"/> is the last
    /// epoch that the checkpoint covers; null if the board has no checkpoint.
    /// </summary>
    public Refused? CheckBoard(ulong? last) => Highest is not { } served || last >= served.Epoch ? null
        : new Refused(last is null
            ? $"The board is behind: this replica has served epoch {served.Epoch}, but the board has no checkpoint."
            : $"The board is behind: this replica has served epoch {served.Epoch}; the board's checkpoint ends at epoch {last}. An older copy was put in the board's place.");

    /// <summary>Returns the names of the files of a period's trees, and creates their folder if it is missing.</summary>
    public TreeFiles GetFiles(ulong period)
    {
        TreeFiles files = _names.ForPeriod(period);
        if (period > 0)
        {
            DataFolder.CreateFolder(_names.Periods);
            DataFolder.CreateFolder(files.Folder);
        }
        return files;
    }

    /// <summary>
    /// Durably adopts the leaf log that was fetched from another replica. Also adopts the node store that was made from the fetched
    /// snapshot or, in linked mode, the snapshot itself. If the process crashes during this call, neither node store nor snapshot exists
    /// afterwards.
    /// </summary>
    public static void AdoptFetched(TreeFiles files)
    {
        // The old snapshot and node store are deleted first, because they belong to the old leaf log. The check of the leaf log's identity
        // would not find the mismatch: if the old leaf log came from the same peer, the new one may have the same identity but other
        // offsets.
        var durable = new DurableFiles(files.Folder);
        File.Delete(files.Snapshot);
        durable.RemoveFolder(files.NodeStore);
        File.Move(files.FetchedLeafLog, files.LeafLog, overwrite: true);
        if (Directory.Exists(files.FetchedNodeStore))
        {
            Directory.Move(files.FetchedNodeStore, files.NodeStore);
        }
        else
        {
            File.Move(files.FetchedSnapshot, files.Snapshot);
        }
        durable.Sync(TreeFiles.SnapshotName);
    }

    /// <summary>Removes files that were fetched but not adopted.</summary>
    public static void DropFetched(TreeFiles files)
    {
        File.Delete(files.FetchedLeafLog);
        File.Delete(files.FetchedSnapshot);
        new DurableFiles(files.Folder).RemoveFolder(files.FetchedNodeStore);
    }

    /// <summary>
    /// Saves a view as the snapshot of its period, and removes the files of a node store. Throws <see cref="OptiksNativeException"/> if the
    /// snapshot cannot be written.
    /// </summary>
    public void Replace(ulong period, DirectoryView view)
    {
        TreeFiles files = GetFiles(period);
        new DurableFiles(files.Folder).RemoveFolder(files.NodeStore);
        // TryAcquire fails only if a later view of the same trees has superseded this one, so the snapshot is not needed.
        if (!view.TryAcquire())
        {
            throw new InvalidOperationException("The trees of an ended period are gone.");
        }
        try
        {
            view.Save(files.Snapshot);
        }
        finally
        {
            view.Release();
        }
    }

    /// <summary>Deletes the snapshot of an ended period whose trees are in a node store. No replica needs such a snapshot.</summary>
    public void DeleteSnapshot(ulong period) => File.Delete(_names.ForPeriod(period).Snapshot);

    /// <summary>
    /// Deletes the node store that stored mode left in a period's files. Linked mode calls this method before it uses the files, because it
    /// cuts the leaf log to its length at the snapshot, so the node store would no longer match the leaf log.
    /// </summary>
    public static void DeleteNodeStore(TreeFiles files) => new DurableFiles(files.Folder).RemoveFolder(files.NodeStore);

    /// <summary>
    /// Deletes the files of a period's trees. Readers that have the files open can still read them, because new trees get new files.
    /// </summary>
    public void Discard(ulong period)
    {
        TreeFiles files = _names.ForPeriod(period);
        if (!Directory.Exists(files.Folder))
        {
            return;
        }
        File.Delete(files.LeafLog);
        File.Delete(files.Snapshot);
        new DurableFiles(files.Folder).RemoveFolder(files.NodeStore);
    }

    /// <summary>Deletes the files of the trees of earlier periods.</summary>
    public void DeleteBefore(ulong period)
    {
        foreach (TreeFiles files in ListTrees().Where(trees => trees.Period < period).Select(trees => trees.Files))
        {
            if (files.Folder != _names.Folder)
            {
                Directory.Delete(files.Folder, recursive: true);
                continue;
            }
            // The folder of the first period also has files that belong to no period, so this code deletes only the files of its trees.
            File.Delete(files.LeafLog);
            File.Delete(files.Snapshot);
            _files.RemoveFolder(files.NodeStore);
            DropFetched(files);
        }
    }

    private IEnumerable<(ulong Period, TreeFiles Files)> ListTrees()
    {
        IEnumerable<string> later = Directory.Exists(_names.Periods)
            ? Directory.EnumerateDirectories(_names.Periods).Select(path => Path.GetFileName(path)!).ToArray()
            : [];
        return later.Select(name =>
            (IsPeriod: ulong.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out ulong period), Period: period))
            .Where(found => found.IsPeriod && found.Period > 0).Select(found => found.Period).Prepend(0UL)
            .Select(period => (period, _names.ForPeriod(period)));
    }

    /// <inheritdoc/>
    public void Dispose() => _lock.Dispose();
}
