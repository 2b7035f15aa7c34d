using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>
/// ReplicaFolder is <c>replicas/{name}</c> of the data folder, one process's at a time: its leaf log and its snapshot, which are rebuilt when they are lost, and the highest epoch
/// that it ever served, below which it never goes again.
/// </summary>
internal sealed class ReplicaFolder : IDisposable
{
    private const string HighestName = "highest";

    private readonly FileStream _lock;
    private readonly DurableFiles _files;

    private ReplicaFolder(string path, FileStream lockFile, HighWaterMark? highest)
    {
        _lock = lockFile;
        _files = new DurableFiles(path);
        LeafLog = Path.Combine(path, "leaves");
        Snapshot = Path.Combine(path, "snapshot");
        NodeStore = Path.Combine(path, "nodes");
        Highest = highest;
    }

    /// <summary>LeafLog is the path of the directory's leaf log.</summary>
    public string LeafLog { get; }

    /// <summary>Snapshot is the path of the trees' snapshot, which belongs to the leaf log.</summary>
    public string Snapshot { get; }

    /// <summary>NodeStore is the path of the trees in stored mode, which belong to the leaf log.</summary>
    public string NodeStore { get; }

    /// <summary>Highest epoch that was served, with its record's hash; null when none ever was.</summary>
    public HighWaterMark? Highest { get; private set; }

    /// <summary>Open takes the folder, which is made when it is missing. Throws <see cref="StartupException"/> when another process has it.</summary>
    public static ReplicaFolder Open(DataFolder folder, string name)
    {
        string path = Path.Combine(folder.Replicas, name);
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
            return new ReplicaFolder(path, lockFile, HighWaterMark.Read(Path.Combine(path, HighestName)));
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

    /// <inheritdoc/>
    public void Dispose() => _lock.Dispose();
}
