namespace Optiks.Native;

/// <summary>OwnUserUnanswered is why an owner is not answered about its own user.</summary>
public enum OwnUserUnanswered
{
    /// <summary>None: it is answered.</summary>
    None = 0,

    /// <summary>NoUser: there is no such user, and there was none.</summary>
    NoUser = 1,

    /// <summary>NameLeadsNowhere: a name has no entry.</summary>
    NameLeadsNowhere = 2,

    /// <summary>OtherUser: a name leads to another user, and <see cref="UserMonitorPage.OwnOnly"/>.</summary>
    OtherUser = 3,

    /// <summary>DeviceList: the client knows of a later version of the list.</summary>
    DeviceList = 4,

    /// <summary>DeviceKey: the client knows of a later version of the key of an id that it names.</summary>
    DeviceKey = 5,

    /// <summary>OtherKey: an id that the client names was on no version of the list that is kept, in the latest 4 MiB of them, and <see cref="UserMonitorPage.OwnOnly"/>.</summary>
    OtherKey = 6,
}
