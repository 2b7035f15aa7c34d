using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Rules;

/// <summary>Applies a change to a device list.</summary>
internal static class DeviceListChange
{
    /// <summary>
    /// Returns a new device list in the order of device lists. It has the ids of the parameter <paramref name="list"/>, plus the ids that
    /// the parameter <paramref name="change"/> adds, without the ids that it removes. The old list must not contain an id that the change
    /// adds.
    /// </summary>
    public static IReadOnlyList<ReadOnlyMemory<byte>> Apply(IReadOnlyList<ReadOnlyMemory<byte>> list, UserChange change)
    {
        var devices = new List<ReadOnlyMemory<byte>>(list.Count + change.Added.Count);
        int added = 0;
        int removed = 0;
        foreach (ReadOnlyMemory<byte> device in list)
        {
            while (added < change.Added.Count && DeviceList.Order.Compare(change.Added[added], device) < 0)
            {
                devices.Add(change.Added[added++]);
            }
            while (removed < change.Removed.Count && DeviceList.Order.Compare(change.Removed[removed], device) < 0)
            {
                removed++;
            }
            if (removed == change.Removed.Count || !change.Removed[removed].Span.SequenceEqual(device.Span))
            {
                devices.Add(device);
            }
        }
        devices.AddRange(change.Added.Skip(added));
        return devices;
    }

    /// <summary>
    /// Returns whether a sorted list of device ids contains an id. The list may be a device list, or the added or removed ids of a change.
    /// </summary>
    public static bool Has(IReadOnlyList<ReadOnlyMemory<byte>> list, ReadOnlyMemory<byte> device)
    {
        int first = 0;
        int end = list.Count;
        while (first < end)
        {
            int middle = (first + end) >>> 1;
            int order = DeviceList.Order.Compare(list[middle], device);
            if (order == 0)
            {
                return true;
            }
            (first, end) = order < 0 ? (middle + 1, end) : (first, middle);
        }
        return false;
    }
}
