using System.Globalization;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Manages <c>task/</c> of the data folder, which one process holds at a time. The folder contains the leaf log and the snapshot of the
/// current period's trees, and of the next period's trees during its preparation. If these files are lost, the task rebuilds them.
/// </summary>
internal sealed class TaskFolder : IDisposable
{
    private const string PeriodPrefix = "period-";

    private readonly string _path;
    private readonly FileStream _lock;

    private TaskFolder(string path, FileStream lockFile)
    {
        _path = path;
        _lock = lockFile;
    }

    /// <summary>
    /// Takes the folder, creating it if it is missing. Returns null if another process has the folder. Such a process has lost the lease
    /// and does not know it yet.
    /// </summary>
    public static TaskFolder? TryOpen(DataFolder folder)
    {
        DataFolder.CreateFolder(folder.Task);
        // The lock is held by flock until the session or the process ends. Without it, a second writer would truncate the leaf log that the
        // first writer uses.
        return LockFile.TryTake(Path.Combine(folder.Task, "lock")) is { } held ? new TaskFolder(folder.Task, held) : null;
    }

    /// <summary>
    /// Deletes all trees in the folder, which are then rebuilt from the database. Does nothing while another process has the folder.
    /// </summary>
    public static void Discard(DataFolder folder)
    {
        using TaskFolder? own = TryOpen(folder);
        if (own is not null)
        {
            own.DeleteBefore(ulong.MaxValue);
        }
    }

    /// <summary>Returns the path of the leaf log of a period's directory. The path's folder exists on return.</summary>
    public string LeafLog(ulong period) => Path.Combine(GetFolder(period), "leaves");

    /// <summary>Returns the path of the snapshot of a period's trees, which belongs to the period's leaf log.</summary>
    public string Snapshot(ulong period) => Path.Combine(GetFolder(period), "snapshot");

    /// <summary>Deletes the files of earlier periods.</summary>
    public void DeleteBefore(ulong period)
    {
        foreach (string folder in Directory.EnumerateDirectories(_path, PeriodPrefix + "*"))
        {
            if (!ulong.TryParse(Path.GetFileName(folder)[PeriodPrefix.Length..], NumberStyles.None, CultureInfo.InvariantCulture, out ulong other) || other < period)
            {
                Directory.Delete(folder, recursive: true);
            }
        }
        if (period > 0)
        {
            File.Delete(LeafLog(0));
            File.Delete(Snapshot(0));
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _lock.Dispose();

    // The first period's files stay at the folder's top, where they were before other periods existed.
    private string GetFolder(ulong period)
    {
        if (period == 0)
        {
            return _path;
        }
        string path = Path.Combine(_path, string.Create(CultureInfo.InvariantCulture, $"{PeriodPrefix}{period}"));
        DataFolder.CreateFolder(path);
        return path;
    }
}
