using Microsoft.Extensions.Logging;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.ServiceDefaults;

/// <summary>SnapshotFile is how a service starts from a snapshot, or without one. In stored mode the node store is the snapshot, and there is no file.</summary>
public static class SnapshotFile
{
    /// <summary>
    /// TryRestore gives the snapshot's directory; null when there is none, or none that fits, which is logged. The caller compares its states with the record of its epoch
    /// (<see cref="ThrowUnlessSame"/>).
    /// </summary>
    public static KeyDirectory? TryRestore(DirectoryOptions options, string path, ILogger logger)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (options.NodeStorePath is { } nodes ? !Directory.Exists(nodes) : !File.Exists(path))
        {
            return null;
        }
        try
        {
            return options.NodeStorePath is null ? KeyDirectory.Restore(options, path) : KeyDirectory.Create(options);
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
        if (options.NodeStorePath is { } nodes && Directory.Exists(nodes))
        {
            Directory.Delete(nodes, recursive: true);
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
}
