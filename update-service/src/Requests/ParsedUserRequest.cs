using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>Holds one request that changes a user.</summary>
internal sealed class ParsedUserRequest : ParsedRequest
{
    private static readonly ReadOnlyMemory<byte> s_left = new byte[] { 1 };

    private readonly UserChanges _changes;
    private readonly byte[]? _user;
    private readonly bool _isUserOctets;

    /// <summary>Creates an element from its parts.</summary>
    /// <param name="index">The request's index in the list; null unless the body is a list.</param>
    /// <param name="requestId">The request id that the caller gave; null if the caller gave no id.</param>
    /// <param name="user">The user's id; null if it is derived from the request's id.</param>
    /// <param name="isUserOctets">Whether the body has the user's id as <c>user_b64</c>.</param>
    /// <param name="changes">The changes that the request makes to the user.</param>
    public ParsedUserRequest(int? index, Guid? requestId, byte[]? user, bool isUserOctets, UserChanges changes)
        : base(index, requestId)
    {
        _user = user;
        _isUserOctets = isUserOctets;
        _changes = changes;
    }

    /// <summary>
    /// Returns the request's items in this order: the user's device list (<see cref="UserChange"/>), the usernames, the devices, and the
    /// decommission.
    /// </summary>
    public override IReadOnlyList<AcceptItem> ToItems(Guid requestId)
    {
        byte[] user = _user ?? UserIds.FromGuid(requestId);
        var items = new List<AcceptItem>(_changes.NumItems) { new(StructureId.Devices, user, _changes.ToListChange().Encode(), null) };
        foreach ((byte[] name, _) in _changes.Usernames)
        {
            items.Add(new AcceptItem(StructureId.Usernames, name, user, null));
        }
        foreach ((AcceptItem device, _) in _changes.Devices)
        {
            items.Add(device);
        }
        if (_changes.Decommissions)
        {
            items.Add(new AcceptItem(StructureId.Decommissioned, user, s_left, null));
        }
        return items;
    }

    public override string KeyPath(int item)
    {
        if (item == UserChange.ItemIndex)
        {
            return _user is null ? Path : $"{Path}.{(_isUserOctets ? "user_b64" : "user")}";
        }
        int at = item - 1;
        if (at < _changes.Usernames.Count)
        {
            (int change, int? element, bool isOctets) = _changes.Usernames[at].Place;
            string octets = isOctets ? "_b64" : "";
            return $"{Path}.changes[{change}].{(element is null ? $"username{octets}" : $"usernames{octets}[{element}]")}";
        }
        at -= _changes.Usernames.Count;
        if (at < _changes.Devices.Count)
        {
            (int change, int? element, bool isOctets) = _changes.Devices[at].Place;
            return $"{Path}.changes[{change}].{(element is null ? "" : $"devices[{element}].")}{(isOctets ? "device_b64" : "device")}";
        }
        return $"{Path}.changes[0].op";
    }
}
