using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>Decodes values of the database that must be device lists.</summary>
internal static class DeviceLists
{
    /// <summary>Returns the devices on a list.</summary>
    public static IReadOnlyList<ReadOnlyMemory<byte>> Decode(ReadOnlyMemory<byte> list, LeafPlace place)
    {
        try
        {
            return DeviceList.Decode(list);
        }
        catch (EncodingException e)
        {
            throw new StorageCorruptException($"The value of leaf {place.Ordinal} of epoch {place.Epoch} is not a list of devices: see 'optiks-db fsck'.", e);
        }
    }
}
