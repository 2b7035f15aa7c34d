using System.Text;
using Optiks.ServiceDefaults;

namespace Optiks.UpdateService.Requests;

/// <summary>Defines an operation that changes a user, and the JSON members that such a change may have (docs/spec/rest.md section 5).
/// Immutable.</summary>
internal sealed class UserOperationRule
{
    private const string Octets = "_b64";
    private static readonly string[] s_names = ["op", "usernames", "usernames_b64", "devices", "username", "username_b64", "device",
        "device_b64", "value", "value_b64", "expected"];

    private readonly byte[] _octets;
    private readonly ulong _members;

    private UserOperationRule(string name, params ReadOnlySpan<string> members)
    {
        Name = name;
        _octets = Encoding.UTF8.GetBytes(name);
        foreach (string member in members)
        {
            _members |= 1UL << Array.IndexOf(s_names, member);
        }
    }

    /// <summary>The operation that creates a user with usernames and devices.</summary>
    public static UserOperationRule Create { get; } = new("create", "usernames", "usernames" + Octets, "devices") { NeedsApiKey = true };

    /// <summary>The operation that gives the user one more username.</summary>
    public static UserOperationRule AddUsername { get; } = new("add-username", "username", "username" + Octets) { NeedsApiKey = true };

    /// <summary>The operation that adds a device to the device list, with the device's value.</summary>
    public static UserOperationRule AddDevice { get; } = new("add-device", "device", "device" + Octets, "value", "value" + Octets);

    /// <summary>The operation that gives another value to a device on the device list.</summary>
    public static UserOperationRule SetDevice { get; } = new(
        "set-device", "device", "device" + Octets, "value", "value" + Octets, "expected");

    /// <summary>The operation that removes a device from the device list.</summary>
    public static UserOperationRule RemoveDevice { get; } = new("remove-device", "device", "device" + Octets);

    /// <summary>The operation that records that the user has left permanently.</summary>
    public static UserOperationRule Decommission { get; } = new("decommission");

    /// <summary>All operations.</summary>
    public static IReadOnlyList<UserOperationRule> All { get; } = [Create, AddUsername, AddDevice, SetDevice, RemoveDevice, Decommission];

    /// <summary>The members of all operations together, in the order of <see cref="UserMember"/>.</summary>
    public static JsonMembers Members { get; } = new(s_names);

    /// <summary>The operation's name, which a request has in the member <c>op</c>.</summary>
    public string Name { get; }

    /// <summary>Whether the operation needs an API key, because no token allows it.</summary>
    public bool NeedsApiKey { get; private init; }

    /// <summary>Returns the operation with the given name; null if there is no such operation.</summary>
    public static UserOperationRule? Find(ReadOnlySpan<byte> name)
    {
        foreach (UserOperationRule operation in All)
        {
            if (name.SequenceEqual(operation._octets))
            {
                return operation;
            }
        }
        return null;
    }

    /// <summary>Returns whether a change with this operation may have the given member.</summary>
    public bool Has(UserMember member) => (_members & (1UL << (int)member)) != 0;

    /// <summary>Returns the JSON name of a member.</summary>
    public static string GetName(UserMember member) => s_names[(int)member];
}
