namespace Optiks.Client;

/// <summary>One change of a user. Either one epoch applies all changes of a request, or the log applies none of them.</summary>
public sealed record UserChange
{
    private UserChange(UserOperation operation)
    {
        Operation = operation;
    }

    /// <summary>The operation.</summary>
    public UserOperation Operation { get; }

    /// <summary>The usernames that the change adds.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> Usernames { get; internal init; } = [];

    /// <summary>The devices that the change adds or sets, with their values.</summary>
    public IReadOnlyList<UserDeviceValue> Devices { get; private init; } = [];

    /// <summary>The device that the change removes; null if the change removes no device.</summary>
    public ReadOnlyMemory<byte>? Removed { get; private init; }

    /// <summary>The version that must be the latest version of the device that is set; null for any version.</summary>
    public KeyVersionNumber? Expected { get; private init; }

    /// <summary>Adds a username that leads to the user.</summary>
    public static UserChange AddUsername(ReadOnlyMemory<byte> username) => new(UserOperation.AddUsername) { Usernames = [username] };

    /// <summary>Adds a device to the list. The device's id must be new. Not even the id of a removed device may be used again.</summary>
    public static UserChange AddDevice(ReadOnlyMemory<byte> device, ReadOnlyMemory<byte> value) =>
        new(UserOperation.AddDevice) { Devices = [new UserDeviceValue(device, value)] };

    /// <summary>
    /// Gives a device on the list a new value. If <paramref name="expected"/> is not null, the log applies the change only if this version
    /// is the device's latest version.
    /// </summary>
    public static UserChange SetDevice(ReadOnlyMemory<byte> device, ReadOnlyMemory<byte> value, KeyVersionNumber? expected = null) =>
        new(UserOperation.SetDevice) { Devices = [new UserDeviceValue(device, value)], Expected = expected };

    /// <summary>Removes a device from the list.</summary>
    public static UserChange RemoveDevice(ReadOnlyMemory<byte> device) => new(UserOperation.RemoveDevice) { Removed = device };

    /// <summary>Whether the user leaves even if the owner has not monitored the user first, or if the user has alarms.</summary>
    public bool IsUnseen { get; private init; }

    /// <summary>
    /// Makes the user leave. It must be the only change of its request. The client monitors the user first, because servers show nothing
    /// more of a user who has left (<see cref="OptiksClient.ChangeUserAsync"/>).
    /// </summary>
    /// <param name="unseen">
    /// True to make the user leave even if the owner has not monitored the user first, or if the user has alarms.
    /// </param>
    public static UserChange Decommission(bool unseen = false) => new(UserOperation.Decommission) { IsUnseen = unseen };

    internal static UserChange Create(IReadOnlyList<ReadOnlyMemory<byte>> usernames, IReadOnlyList<UserDeviceValue> devices) =>
        new(UserOperation.Create) { Usernames = usernames, Devices = devices };
}
