using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>DeviceLists are values of the database that have to be lists of devices.</summary>
internal static class DeviceLists
{
    /// <summary>Decode gives the devices on a list.</summary>
    public static IReadOnlyList<ReadOnlyMemory<byte>> Decode(ReadOnlyMemory<byte> list, LeafPlace place)
    {
        try
        {
            return DeviceList.Decode(list);
        }
        catch (EncodingException e)
        {
            throw new StorageCorruptException($"The value of leaf {place.Ordinal} of epoch {place.Epoch} is no list of devices: see 'optiks-db fsck'.", e);
        }
    }
}
