using System.Globalization;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// TaskFolder is <c>task/</c> of the data folder, one process's at a time: of the current period and of the one that is made ahead the leaf log of the trees and their snapshot. All are rebuilt when they are lost.
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

    /// <summary>TryOpen takes the folder, which is made when it is missing. Null when another process has it: one that lost the lease and does not know it yet.</summary>
    public static TaskFolder? TryOpen(DataFolder folder)
    {
        DataFolder.CreateFolder(folder.Task);
        // Held by flock until the session or the process ends: a second writer would truncate the leaf log under the first.
        return LockFile.TryTake(Path.Combine(folder.Task, "lock")) is { } held ? new TaskFolder(folder.Task, held) : null;
    }

    /// <summary>Discard deletes all trees of the folder, which are then rebuilt from the database. Does nothing while another process has it.</summary>
    public static void Discard(DataFolder folder)
    {
        using TaskFolder? own = TryOpen(folder);
        if (own is not null)
        {
            own.DeleteBefore(ulong.MaxValue);
        }
    }

    /// <summary>LeafLog is the path of the leaf log of a period's directory, in a folder that is there.</summary>
    public string LeafLog(ulong period) => Path.Combine(FolderOf(period), "leaves");

    /// <summary>Snapshot is the path of the snapshot of a period's trees, which belongs to the leaf log.</summary>
    public string Snapshot(ulong period) => Path.Combine(FolderOf(period), "snapshot");

    /// <summary>DeleteBefore deletes what is left of earlier periods.</summary>
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

    // The first period's files stand where they stood before there were others.
    private string FolderOf(ulong period)
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
