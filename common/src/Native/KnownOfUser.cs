namespace Optiks.Native;

/// <summary>KnownOfUser is what a client knows of a user; the values are those of the C ABI.</summary>
public enum KnownOfUser
{
    /// <summary>None of it.</summary>
    None = 0,

    /// <summary>UserId of the username.</summary>
    UserId = 1,

    /// <summary>DeviceList, a version of it.</summary>
    DeviceList = 2,

    /// <summary>Key of a device, a version of it.</summary>
    Key = 3,
}
