using System.Globalization;
using Optiks.Storage;
using Optiks.Storage.Replay;
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
    private readonly DurableFiles _files;

    private ReplicaFolder(ReplicaFiles names, FileStream lockFile, HighWaterMark? highest)
    {
        _lock = lockFile;
        Files = names;
        _files = new DurableFiles(names.Folder);
        Highest = highest;
    }

    /// <summary>Files names what lies in it.</summary>
    public ReplicaFiles Files { get; }

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

    /// <summary>CheckHead refuses a database that is behind what was served, or has another record for it.</summary>
    public Refused? CheckHead(HeadRow head)
    {
        if (Highest is not { } served)
        {
            return null;
        }
        if (head.PublishedEpoch is not ulong published || published < served.Epoch)
        {
            string newest = head.PublishedEpoch?.ToString(CultureInfo.InvariantCulture) ?? "none";
            return new Refused($"The database is behind: this replica has served epoch {served.Epoch}, the database's newest is {newest}. An older copy was put in its place.");
        }
        return head.Epoch == served.Epoch && !served.Names(served.Epoch, head.RecordHash.Span)
            ? new Refused($"The database has another record for epoch {served.Epoch} than this replica served: the log forked.")
            : null;
    }

    /// <summary>
    /// AdoptFetched makes another replica's leaf log this one's own, durably, with the node store that was made of its snapshot, or else the snapshot. After a crash in between there is neither.
    /// </summary>
    public void AdoptFetched()
    {
        // Both modes' trees are of the leaf log that goes. It may have the identity of the one that comes, and other log offsets: an earlier one of the same peer.
        File.Delete(Files.Snapshot);
        _files.RemoveFolder(Files.NodeStore);
        File.Move(Files.FetchedLeafLog, Files.LeafLog, overwrite: true);
        if (Directory.Exists(Files.FetchedNodeStore))
        {
            Directory.Move(Files.FetchedNodeStore, Files.NodeStore);
        }
        else
        {
            File.Move(Files.FetchedSnapshot, Files.Snapshot);
        }
        _files.Sync(ReplicaFiles.SnapshotName);
    }

    /// <summary>DropFetched removes what was fetched and not adopted.</summary>
    public void DropFetched()
    {
        File.Delete(Files.FetchedLeafLog);
        File.Delete(Files.FetchedSnapshot);
        _files.RemoveFolder(Files.FetchedNodeStore);
    }

    /// <inheritdoc/>
    public void Dispose() => _lock.Dispose();
}
