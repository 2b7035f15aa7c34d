namespace Optiks.Client;

/// <summary>UserChange is one change of a user; several of one request come into one epoch, or none does.</summary>
public sealed record UserChange
{
    private UserChange(UserOperation operation)
    {
        Operation = operation;
    }

    /// <summary>Operation that it is.</summary>
    public UserOperation Operation { get; }

    /// <summary>Usernames that are added.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> Usernames { get; internal init; } = [];

    /// <summary>Devices that are added or set, with their values.</summary>
    public IReadOnlyList<UserDeviceValue> Devices { get; private init; } = [];

    /// <summary>Removed device; null: none.</summary>
    public ReadOnlyMemory<byte>? Removed { get; private init; }

    /// <summary>Expected version, the latest one of the device that is set; null: any.</summary>
    public KeyVersionNumber? Expected { get; private init; }

    /// <summary>AddUsername makes another username lead to the user.</summary>
    public static UserChange AddUsername(ReadOnlyMemory<byte> username) => new(UserOperation.AddUsername) { Usernames = [username] };

    /// <summary>AddDevice puts a device on the list. Its id must be new: also one that was removed is not used again.</summary>
    public static UserChange AddDevice(ReadOnlyMemory<byte> device, ReadOnlyMemory<byte> value) => new(UserOperation.AddDevice) { Devices = [new UserDeviceValue(device, value)] };

    /// <summary>SetDevice gives a device on the list a new value, if <paramref name="expected"/> is null or its latest version.</summary>
    public static UserChange SetDevice(ReadOnlyMemory<byte> device, ReadOnlyMemory<byte> value, KeyVersionNumber? expected = null) =>
        new(UserOperation.SetDevice) { Devices = [new UserDeviceValue(device, value)], Expected = expected };

    /// <summary>RemoveDevice takes a device off the list.</summary>
    public static UserChange RemoveDevice(ReadOnlyMemory<byte> device) => new(UserOperation.RemoveDevice) { Removed = device };

    /// <summary>IsUnseen: the user leaves although its owner has not looked at what was published of it.</summary>
    public bool IsUnseen { get; private init; }

    /// <summary>
    /// Decommission lets the user leave. It is the only change of its request. The owner looks first, as nothing more is shown of a user who has left: see <see cref="OptiksClient.ChangeUserAsync"/>.
    /// </summary>
    /// <param name="unseen">Leave without looking, or in spite of alarms.</param>
    public static UserChange Decommission(bool unseen = false) => new(UserOperation.Decommission) { IsUnseen = unseen };

    internal static UserChange Create(IReadOnlyList<ReadOnlyMemory<byte>> usernames, IReadOnlyList<UserDeviceValue> devices) =>
        new(UserOperation.Create) { Usernames = usernames, Devices = devices };
}
