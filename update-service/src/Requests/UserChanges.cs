using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>UserChanges collects what one request changes of a user. Not thread-safe.</summary>
internal sealed class UserChanges
{
    private readonly List<(byte[] Name, Place Place)> _usernames = [];
    private readonly List<(AcceptItem Item, Place Place)> _devices = [];
    private readonly List<ReadOnlyMemory<byte>> _added = [];
    private readonly List<ReadOnlyMemory<byte>> _removed = [];

    /// <summary>Usernames that shall lead to the user, in the order of the request.</summary>
    public IReadOnlyList<(byte[] Name, Place Place)> Usernames => _usernames;

    /// <summary>Devices that get a value, likewise.</summary>
    public IReadOnlyList<(AcceptItem Item, Place Place)> Devices => _devices;

    /// <summary>Creates the user.</summary>
    public bool Creates { get; set; }

    /// <summary>Decommissions the user.</summary>
    public bool Decommissions { get; set; }

    /// <summary>NumItems of the request.</summary>
    public int NumItems => 1 + _usernames.Count + _devices.Count + (Decommissions ? 1 : 0);

    /// <summary>AddUsername has a username lead to the user.</summary>
    public void AddUsername(byte[] name, Place place) => _usernames.Add((name, place));

    /// <summary>AddDevice puts a device on the list, with its value.</summary>
    public void AddDevice(byte[] device, byte[] value, Place place)
    {
        _added.Add(device);
        SetDevice(device, value, null, place);
    }

    /// <summary>SetDevice gives a device a value.</summary>
    public void SetDevice(byte[] device, byte[] value, ExpectedVersion? expected, Place place) => _devices.Add((new AcceptItem(StructureId.Keys, device, value, expected), place));

    /// <summary>RemoveDevice takes a device from the list.</summary>
    public void RemoveDevice(byte[] device) => _removed.Add(device);

    /// <summary>OfList is what changes of the device list.</summary>
    public UserChange OfList() => new(Creates, [.. _added.Order(DeviceList.Order)], [.. _removed.Order(DeviceList.Order)]);

    /// <summary>Place of a name in the request.</summary>
    /// <param name="Change">Index of the change.</param>
    /// <param name="Element">Index in the change's list; null: it has none.</param>
    /// <param name="IsOctets">Whether its member is the one with <c>_b64</c>.</param>
    public readonly record struct Place(int Change, int? Element, bool IsOctets);
}
