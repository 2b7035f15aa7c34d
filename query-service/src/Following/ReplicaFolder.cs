using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>
/// ReplicaFolder is the replica's folder, one process's at a time: its leaf log with its snapshot or its node store, which are rebuilt when they are lost, and the highest epoch that it ever
/// served, below which it never goes again.
/// </summary>
internal sealed class ReplicaFolder : IDisposable
{
    private const string HighestName = "highest";

    private readonly FileStream _lock;
    private readonly ReplicaFiles _names;
    private readonly DurableFiles _files;

    private ReplicaFolder(ReplicaFiles names, FileStream lockFile, HighWaterMark? highest)
    {
        _lock = lockFile;
        _names = names;
        _files = new DurableFiles(names.Folder);
        Highest = highest;
    }

    /// <summary>Highest epoch that was served, with its record's hash; null when none ever was.</summary>
    public HighWaterMark? Highest { get; private set; }

    /// <summary>Open takes the folder, which is made when it is missing. Throws <see cref="StartupException"/> when another process has it.</summary>
    public static ReplicaFolder Open(ReplicaFiles names)
    {
        string path = names.Folder;
        DataFolder.CreateFolder(path);
        FileStream lockFile;
        try
        {
            // Held by flock until the process ends: a second one would truncate the leaf log under the first.
            lockFile = new FileStream(Path.Combine(path, "lock"), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        }
        catch (IOException e)
        {
            throw new StartupException($"{path} is in use by another query-service, or cannot be written: give this one another port or Optiks:QueryService:Replica.", e);
        }
        try
        {
            var folder = new ReplicaFolder(names, lockFile, HighWaterMark.Read(Path.Combine(path, HighestName)));
            // What a process that ended may have left.
            folder.DropFetched();
            return folder;
        }
        catch (InvalidDataException e)
        {
            lockFile.Dispose();
            throw new StartupException(e.Message, e);
        }
    }

    /// <summary>Remember makes an epoch the highest, durably; before anything of it is served.</summary>
    public void Remember(ulong epoch, ReadOnlyMemory<byte> recordHash)
    {
        var mark = new HighWaterMark(epoch, recordHash);
        _files.Replace(HighestName, mark.Encode());
        Highest = mark;
    }

    /// <summary>
    /// AdoptFetched makes another replica's leaf log this one's own, durably, with the node store that was made of its snapshot, or else the snapshot. After a crash in between there is neither.
    /// </summary>
    public void AdoptFetched()
    {
        // Both modes' trees are of the leaf log that goes. It may have the identity of the one that comes, and other places: an earlier one of the same peer.
        File.Delete(_names.Snapshot);
        _files.RemoveFolder(_names.NodeStore);
        File.Move(_names.FetchedLeafLog, _names.LeafLog, overwrite: true);
        if (Directory.Exists(_names.FetchedNodeStore))
        {
            Directory.Move(_names.FetchedNodeStore, _names.NodeStore);
        }
        else
        {
            File.Move(_names.FetchedSnapshot, _names.Snapshot);
        }
        _files.Sync(ReplicaFiles.SnapshotName);
    }

    /// <summary>DropFetched removes what was fetched and not adopted.</summary>
    public void DropFetched()
    {
        File.Delete(_names.FetchedLeafLog);
        File.Delete(_names.FetchedSnapshot);
        _files.RemoveFolder(_names.FetchedNodeStore);
    }

    /// <inheritdoc/>
    public void Dispose() => _lock.Dispose();
}
