using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>Collects one request's changes of a user. Not thread-safe.</summary>
internal sealed class UserChanges
{
    private readonly List<(byte[] Name, Place Place)> _usernames = [];
    private readonly List<(AcceptItem Item, Place Place)> _devices = [];
    private readonly List<ReadOnlyMemory<byte>> _added = [];
    private readonly List<ReadOnlyMemory<byte>> _removed = [];

    /// <summary>The usernames that will lead to the user, in the order of the request.</summary>
    public IReadOnlyList<(byte[] Name, Place Place)> Usernames => _usernames;

    /// <summary>The devices that get a value, in the order of the request.</summary>
    public IReadOnlyList<(AcceptItem Item, Place Place)> Devices => _devices;

    /// <summary>Whether the request creates the user.</summary>
    public bool Creates { get; set; }

    /// <summary>Whether the request decommissions the user.</summary>
    public bool Decommissions { get; set; }

    /// <summary>The number of items of the request.</summary>
    public int NumItems => 1 + _usernames.Count + _devices.Count + (Decommissions ? 1 : 0);

    /// <summary>Adds a username that will lead to the user.</summary>
    public void AddUsername(byte[] name, Place place) => _usernames.Add((name, place));

    /// <summary>Adds a device to the list, with its value.</summary>
    public void AddDevice(byte[] device, byte[] value, Place place)
    {
        _added.Add(device);
        SetDevice(device, value, null, place);
    }

    /// <summary>Gives a device a value.</summary>
    public void SetDevice(byte[] device, byte[] value, ExpectedVersion? expected, Place place) => _devices.Add((new AcceptItem(StructureId.Keys, device, value, expected), place));

    /// <summary>Removes a device from the list.</summary>
    public void RemoveDevice(byte[] device) => _removed.Add(device);

    /// <summary>Returns the changes of the device list.</summary>
    public UserChange ToListChange() => new(Creates, [.. _added.Order(DeviceList.Order)], [.. _removed.Order(DeviceList.Order)]);

    /// <summary>Says where the request names a username or device.</summary>
    /// <param name="Change">The index of the change.</param>
    /// <param name="Element">The index in the change's list; null if the change has no list.</param>
    /// <param name="IsOctets">Whether the request names it in the member with <c>_b64</c>.</param>
    public readonly record struct Place(int Change, int? Element, bool IsOctets);
}
