using System.Text;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>
/// Builds a request about a user as the update-service does (docs/spec/rest.md section 5). Its first item is the change of the device list.
/// Then come the items of usernames and of devices' values, and the item that decommissions the user.
/// </summary>
internal sealed class UserUpdate
{
    private readonly string _user;
    private readonly List<AcceptItem> _usernames = [];
    private readonly List<AcceptItem> _devices = [];
    private readonly List<string> _added = [];
    private readonly List<string> _removed = [];
    private bool _creates;
    private bool _leaves;

    private UserUpdate(string user) => _user = user;

    public static UserUpdate Of(string user) => new(user);

    public UserUpdate Create(params string[] usernames)
    {
        _creates = true;
        return usernames.Aggregate(this, (update, name) => update.AddUsername(name));
    }

    public UserUpdate AddUsername(string name)
    {
        _usernames.Add(new AcceptItem(StructureId.Usernames, Octets(name), Octets(_user), null));
        return this;
    }

    public UserUpdate AddDevice(string device, string value)
    {
        _added.Add(device);
        return SetDevice(device, value);
    }

    public UserUpdate SetDevice(string device, string value, ExpectedVersion? expected = null)
    {
        _devices.Add(new AcceptItem(StructureId.Keys, Octets(device), Octets(value), expected));
        return this;
    }

    public UserUpdate RemoveDevice(string device)
    {
        _removed.Add(device);
        return this;
    }

    public UserUpdate Decommission()
    {
        _leaves = true;
        return this;
    }

    public AcceptRequest Request()
    {
        var change = new UserChange(_creates, Sorted(_added), Sorted(_removed));
        return Updates.Request(
        [
            new AcceptItem(StructureId.Devices, Octets(_user), change.Encode(), null),
            .. _usernames,
            .. _devices,
            .. _leaves ? (AcceptItem[])[new AcceptItem(StructureId.Decommissioned, Octets(_user), new byte[] { 1 }, null)] : [],
        ]);
    }

    private static ReadOnlyMemory<byte>[] Sorted(List<string> devices) => [.. devices.Order(StringComparer.Ordinal).Select(Octets)];

    private static ReadOnlyMemory<byte> Octets(string text) => Encoding.Latin1.GetBytes(text);
}
