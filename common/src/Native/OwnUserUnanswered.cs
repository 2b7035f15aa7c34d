namespace Optiks.Native;

/// <summary>Says why an owner gets no answer about its own user.</summary>
public enum OwnUserUnanswered
{
    /// <summary>The owner gets an answer.</summary>
    None = 0,

    /// <summary>The user does not exist and never did.</summary>
    NoUser = 1,

    /// <summary>A name has no entry.</summary>
    NameLeadsNowhere = 2,

    /// <summary>A name leads to another user, which <see cref="UserMonitorPage.OwnOnly"/> refuses.</summary>
    OtherUser = 3,

    /// <summary>The client knows of a later version of the list.</summary>
    DeviceList = 4,

    /// <summary>The client knows of a later version of the key of an id that it names.</summary>
    DeviceKey = 5,

    /// <summary>
    /// An id that the client names was on no kept version of the list, within the latest 4 MiB of them, which
    /// <see cref="UserMonitorPage.OwnOnly"/> refuses.
    /// </summary>
    OtherKey = 6,
}
