using System.Globalization;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Manages the subfolder <c>task/</c> of the data folder, which only one process at a time may use. The subfolder contains the leaf log and
/// the snapshot of the current period's trees. While the next period is prepared, it also contains these files for the next period. If the
/// files are lost, the task rebuilds them.
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
    /// Takes the subfolder's lock; creates the subfolder if it is missing. Returns null if another process holds the lock: that process has
    /// lost the lease and does not know it yet.
    /// </summary>
    public static TaskFolder? TryOpen(DataFolder folder)
    {
        DataFolder.CreateFolder(folder.Task);
        // The lock is taken with flock and lasts until the session or the process ends. Without the lock, a second writer would truncate
        // the leaf log that the first writer uses.
        return LockFile.TryTake(Path.Combine(folder.Task, "lock")) is { } held ? new TaskFolder(folder.Task, held) : null;
    }

    /// <summary>
    /// Deletes the files of all trees in the subfolder. The task then rebuilds the trees from the database. Does nothing while another
    /// process holds the subfolder's lock.
    /// </summary>
    public static void Discard(DataFolder folder)
    {
        using TaskFolder? own = TryOpen(folder);
        if (own is not null)
        {
            own.DeleteBefore(ulong.MaxValue);
        }
    }

    /// <summary>Returns the path of the leaf log of a period's trees, after creating the folder that contains it.</summary>
    public string LeafLog(ulong period) => Path.Combine(GetFolder(period), "leaves");

    /// <summary>
    /// Returns the path of the snapshot of a period's trees. A snapshot can be used only together with the period's leaf log.
    /// </summary>
    public string Snapshot(ulong period) => Path.Combine(GetFolder(period), "snapshot");

    /// <summary>Deletes the files of all periods before the given period.</summary>
    public void DeleteBefore(ulong period)
    {
        foreach (string folder in Directory.EnumerateDirectories(_path, PeriodPrefix + "*"))
        {
            if (!ulong.TryParse(Path.GetFileName(folder)[PeriodPrefix.Length..], NumberStyles.None, CultureInfo.InvariantCulture,
                out ulong other) || other < period)
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

    // The files of period 0 are directly in the subfolder task/, where older releases, which had no periods, put them. Each other period
    // has its own folder.
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
