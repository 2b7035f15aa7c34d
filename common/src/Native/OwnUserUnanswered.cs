namespace Optiks.Native;

/// <summary>Says why an owner gets no answer about its own user.</summary>
public enum OwnUserUnanswered
{
    /// <summary>The owner gets an answer.</summary>
    None = 0,

    /// <summary>The user does not exist and never did.</summary>
    NoUser = 1,

    /// <summary>
    /// A username of the query leads to no user or, with <see cref="UserMonitorPage.OwnOnly"/>, to another user: a caller that may not look
    /// up usernames must not learn which of them exist.
    /// </summary>
    Name = 2,

    /// <summary>The client knows of a later version of the device list than the view has.</summary>
    DeviceList = 3,

    /// <summary>The client knows of a later version of a named device's key than the view has.</summary>
    DeviceKey = 4,

    /// <summary>
    /// A device id that the query names is on no kept version of the device list, within the latest 4 MiB of those versions;
    /// <see cref="UserMonitorPage.OwnOnly"/> refuses such a query.
    /// </summary>
    OtherKey = 5,
}
