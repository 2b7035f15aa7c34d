using Optiks.Native;

namespace Optiks.Storage;

/// <summary>
/// Restores directories from snapshots and removes snapshots. In stored mode, the node store is the snapshot; if there is only a snapshot
/// file, which linked mode left, it is converted into a node store. If a leaf log has both, the node store is at the epoch of the snapshot
/// file or at a later one. Linked mode truncates the leaf log's end and writes it again, so its callers delete the node store first.
/// </summary>
internal static class SnapshotFile
{
    /// <summary>
    /// Restores a directory from its snapshot; returns null if there is no snapshot. Throws <see cref="OptiksNativeException"/> if the
    /// snapshot does not fit the options or the leaf log.
    /// </summary>
    public static KeyDirectory? TryRestore(DirectoryOptions options, string path)
    {
        if (options.NodeStorePath is not { } nodes)
        {
            return File.Exists(path) ? KeyDirectory.Restore(options, path) : null;
        }
        return Directory.Exists(nodes) || TryConvert(options, path, nodes) ? KeyDirectory.Create(options) : null;
    }

    /// <summary>Deletes a snapshot's files, because another directory takes over its leaf log.</summary>
    public static void Remove(DirectoryOptions options, string path)
    {
        File.Delete(path);
        if (options.NodeStorePath is { } nodes)
        {
            DeleteFolder(nodes);
            DeleteFolder(Unfinished(nodes));
        }
    }

    private static bool TryConvert(DirectoryOptions options, string path, string nodes)
    {
        if (!File.Exists(path))
        {
            return false;
        }
        DeleteFolder(Unfinished(nodes));
        using (KeyDirectory.Restore(options with { NodeStorePath = Unfinished(nodes), VrfCacheBytes = 0 }, path))
        {
            // Restoring has written the node store to the disk, so this directory can be closed.
        }
        File.Delete(path);
        Directory.Move(Unfinished(nodes), nodes);
        return true;
    }

    private static string Unfinished(string nodes) => nodes + ".new";

    private static void DeleteFolder(string path)
    {
        if (Directory.Exists(path))
        {
            Directory.Delete(path, recursive: true);
        }
    }
}
