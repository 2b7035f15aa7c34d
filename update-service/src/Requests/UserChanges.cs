using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>Collects the changes that one request makes to a user. Not thread-safe.</summary>
internal sealed class UserChanges
{
    private readonly List<(byte[] Name, Place Place)> _usernames = [];
    private readonly List<(AcceptItem Item, Place Place)> _devices = [];
    private readonly List<ReadOnlyMemory<byte>> _added = [];
    private readonly List<ReadOnlyMemory<byte>> _removed = [];

    /// <summary>The usernames that the request gives to the user, in the request's order.</summary>
    public IReadOnlyList<(byte[] Name, Place Place)> Usernames => _usernames;

    /// <summary>The devices to which the request gives a value, in the request's order.</summary>
    public IReadOnlyList<(AcceptItem Item, Place Place)> Devices => _devices;

    /// <summary>Whether the request creates the user.</summary>
    public bool Creates { get; set; }

    /// <summary>Whether the request decommissions the user.</summary>
    public bool Decommissions { get; set; }

    /// <summary>The number of items that the request will have.</summary>
    public int NumItems => 1 + _usernames.Count + _devices.Count + (Decommissions ? 1 : 0);

    /// <summary>Records that the request gives a username to the user.</summary>
    public void AddUsername(byte[] name, Place place) => _usernames.Add((name, place));

    /// <summary>Records that the request adds a device to the device list, with the device's value.</summary>
    public void AddDevice(byte[] device, byte[] value, Place place)
    {
        _added.Add(device);
        SetDevice(device, value, null, place);
    }

    /// <summary>Records that the request gives another value to a device on the device list.</summary>
    public void SetDevice(byte[] device, byte[] value, ExpectedVersion? expected, Place place) =>
        _devices.Add((new AcceptItem(StructureId.Keys, device, value, expected), place));

    /// <summary>Records that the request removes a device from the device list.</summary>
    public void RemoveDevice(byte[] device) => _removed.Add(device);

    /// <summary>Returns the changes that the request makes to the device list.</summary>
    public UserChange ToListChange() => new(Creates, [.. _added.Order(DeviceList.Order)], [.. _removed.Order(DeviceList.Order)]);

    /// <summary>Names the place in the request of a username or device.</summary>
    /// <param name="Change">The index of the change in the request.</param>
    /// <param name="Element">The index within the change's list; null if the change has no list.</param>
    /// <param name="IsOctets">Whether the request has the username or device in a member whose name ends with <c>_b64</c>.</param>
    public readonly record struct Place(int Change, int? Element, bool IsOctets);
}
