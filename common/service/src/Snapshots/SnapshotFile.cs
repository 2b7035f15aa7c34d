using Microsoft.Extensions.Logging;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.ServiceDefaults;

/// <summary>SnapshotFile is how a service starts from a snapshot, or without one.</summary>
public static class SnapshotFile
{
    /// <summary>
    /// TryRestore gives the snapshot's directory; null when there is none, or none that fits, which is logged. The caller compares its states with the record of its epoch
    /// (<see cref="ThrowUnlessSame"/>).
    /// </summary>
    public static KeyDirectory? TryRestore(DirectoryOptions options, string path, ILogger logger)
    {
        if (!File.Exists(path))
        {
            return null;
        }
        try
        {
            return KeyDirectory.Restore(options, path);
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
        File.Delete(path);
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
