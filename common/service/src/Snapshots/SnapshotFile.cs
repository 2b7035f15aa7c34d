using Microsoft.Extensions.Logging;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.ServiceDefaults;

/// <summary>
/// SnapshotFile is how a service starts from a snapshot, or without one. In stored mode the node store is the snapshot; a file that linked mode left becomes one. There are never both of one leaf log, whose
/// end each mode would cut and write anew.
/// </summary>
public static class SnapshotFile
{
    /// <summary>
    /// TryRestore gives the snapshot's directory; null when there is none, or none that fits, which is logged. The caller compares its states with the record of its epoch
    /// (<see cref="ThrowUnlessSame"/>).
    /// </summary>
    public static KeyDirectory? TryRestore(DirectoryOptions options, string path, ILogger logger)
    {
        ArgumentNullException.ThrowIfNull(options);
        try
        {
            if (options.NodeStorePath is not { } nodes)
            {
                return File.Exists(path) ? KeyDirectory.Restore(options, path) : null;
            }
            return Directory.Exists(nodes) || TryConvert(options, path, nodes) ? KeyDirectory.Create(options) : null;
        }
        catch (OptiksNativeException e) when (e.Status is NativeStatus.Data or NativeStatus.Io)
        {
            logger.SnapshotRefused(e.Message);
            return null;
        }
    }

    /// <summary>CreateInstead makes an empty directory, whose leaf log takes the place of the snapshot's: what is left of the snapshot goes first.</summary>
    public static KeyDirectory CreateInstead(DirectoryOptions options, string path)
    {
        ArgumentNullException.ThrowIfNull(options);
        File.Delete(path);
        if (options.NodeStorePath is { } nodes)
        {
            DeleteFolder(nodes);
            DeleteFolder(Unfinished(nodes));
        }
        return KeyDirectory.Create(options);
    }

    /// <summary>ThrowUnlessSame throws <see cref="SnapshotRefusedException"/> unless the states are those of the record of the snapshot's epoch.</summary>
    public static void ThrowUnlessSame(IEnumerable<StructureState> states, EpochRecord record)
    {
        ArgumentNullException.ThrowIfNull(record);
        if (!states.SequenceEqual(record.Structures))
        {
            throw new SnapshotRefusedException($"Its roots are not those of the record of epoch {record.Epoch}.");
        }
    }

    /// <summary>ThrowIfNewer throws <see cref="SnapshotRefusedException"/> for a snapshot of an epoch that the database does not call published.</summary>
    public static void ThrowIfNewer(ulong epoch, ulong published)
    {
        if (epoch > published)
        {
            throw new SnapshotRefusedException($"It is of epoch {epoch}, the database's newest is {published}.");
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
