namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// TaskFolder is <c>task/</c> of the data folder, one process's at a time: the leaf log of the trees and their snapshot. Both are rebuilt when they are lost.
/// </summary>
internal sealed class TaskFolder : IDisposable
{
    private readonly FileStream _lock;

    private TaskFolder(string path, FileStream lockFile)
    {
        _lock = lockFile;
        LeafLog = Path.Combine(path, "leaves");
        Snapshot = Path.Combine(path, "snapshot");
    }

    /// <summary>LeafLog is the path of the directory's leaf log.</summary>
    public string LeafLog { get; }

    /// <summary>Snapshot is the path of the trees' snapshot, which belongs to the leaf log.</summary>
    public string Snapshot { get; }

    /// <summary>TryOpen takes the folder, which is made when it is missing. Null when another process has it: one that lost the lease and does not know it yet.</summary>
    public static TaskFolder? TryOpen(DataFolder folder)
    {
        DataFolder.CreateFolder(folder.Task);
        try
        {
            // Held by flock until the session or the process ends: a second writer would truncate the leaf log under the first.
            return new TaskFolder(folder.Task, new FileStream(Path.Combine(folder.Task, "lock"), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None));
        }
        catch (IOException)
        {
            return null;
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _lock.Dispose();
}
