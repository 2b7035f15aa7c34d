using Optiks.Native;

namespace Optiks.Storage.Replay;

/// <summary>
/// Begins trees with or without a snapshot. In stored mode the node store is the snapshot; a file that linked mode left is converted into
/// one. A leaf log never has both, because each mode would truncate its end and write it again.
/// </summary>
internal static class SnapshotFile
{
    /// <summary>
    /// Restores the snapshot's directory; returns null when there is no snapshot. Throws <see cref="OptiksNativeException"/> for one that
    /// does not fit.
    /// </summary>
    public static KeyDirectory? TryRestore(DirectoryOptions options, string path)
    {
        if (options.NodeStorePath is not { } nodes)
        {
            return File.Exists(path) ? KeyDirectory.Restore(options, path) : null;
        }
        return Directory.Exists(nodes) || TryConvert(options, path, nodes) ? KeyDirectory.Create(options) : null;
    }

    /// <summary>Deletes the remains of a snapshot whose leaf log another directory takes over.</summary>
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
            // The node store is on the disk now.
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
