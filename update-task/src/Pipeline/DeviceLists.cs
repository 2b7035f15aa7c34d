using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>Decodes device lists that were read from the database.</summary>
internal static class DeviceLists
{
    /// <summary>Returns the ids of the devices on a device list.</summary>
    public static IReadOnlyList<ReadOnlyMemory<byte>> Decode(ReadOnlyMemory<byte> list, LeafPlace place)
    {
        try
        {
            return DeviceList.Decode(list);
        }
        catch (EncodingException e)
        {
            throw new StorageCorruptException(
                $"The value of leaf {place.Ordinal} of epoch {place.Epoch} is not a list of devices: see 'optiks-db fsck'.", e);
        }
    }
}
