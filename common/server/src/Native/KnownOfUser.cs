namespace Optiks.Native;

/// <summary>Lists what a client may know about a user; the values are the numbers of the C ABI.</summary>
public enum KnownOfUser
{
    /// <summary>The client knows nothing.</summary>
    None = 0,

    /// <summary>The client knows the username's user id.</summary>
    UserId = 1,

    /// <summary>The client knows a version of the device list.</summary>
    DeviceList = 2,

    /// <summary>The client knows a version of a device's key.</summary>
    Key = 3,
}
