using Optiks.Native;

namespace Optiks.Storage.Replay;

/// <summary>
/// How trees begin with a snapshot, or without one. In stored mode the node store is the snapshot; a file that linked mode left becomes one. There are never both of one leaf log, whose
/// end each mode would cut and write anew.
/// </summary>
internal static class SnapshotFile
{
    /// <summary>Gives the snapshot's directory; null when there is none. Throws <see cref="OptiksNativeException"/> for one that does not fit.</summary>
    public static KeyDirectory? TryRestore(DirectoryOptions options, string path)
    {
        if (options.NodeStorePath is not { } nodes)
        {
            return File.Exists(path) ? KeyDirectory.Restore(options, path) : null;
        }
        return Directory.Exists(nodes) || TryConvert(options, path, nodes) ? KeyDirectory.Create(options) : null;
    }

    /// <summary>Deletes what is left of a snapshot whose leaf log another directory takes.</summary>
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
            // It is on the disk.
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
