namespace Optiks.Native;

/// <summary>Says why an owner gets no answer about its own user.</summary>
public enum OwnUserUnanswered
{
    /// <summary>The owner gets an answer.</summary>
    None = 0,

    /// <summary>The user does not exist and never did.</summary>
    NoUser = 1,

    /// <summary>
    /// A username of the query leads to no user. With <see cref="UserMonitorPage.OwnOnly"/>, a username that leads to another user has the
    /// same result, because a caller that may not look up usernames must not learn which usernames exist.
    /// </summary>
    Name = 2,

    /// <summary>The client already knows a later version of the device list than the view has.</summary>
    DeviceList = 3,

    /// <summary>The client already knows a later version of a named device's key than the view has.</summary>
    DeviceKey = 4,

    /// <summary>
    /// With <see cref="UserMonitorPage.OwnOnly"/>, the query is refused because it names a device id that is not in any kept version of the
    /// device list. The search reads only the latest 4 MiB of these versions.
    /// </summary>
    OtherKey = 5,
}
