namespace Optiks.Storage;

/// <summary>Says why an item has no leaf (docs/spec/rest.md section 5, docs/spec/users.md section 7). Numbers are stored and never change their meaning.</summary>
public enum RefusalReason
{
    /// <summary>Nothing was refused, and nothing inserted: the item names a user whose device list the request leaves as it is (<see cref="UserChange"/>), or an erasure that was done (<see cref="ErasureOrder"/>).</summary>
    Unchanged = 0,

    /// <summary>The key's latest version is not the expected one.</summary>
    ExpectedVersion = 1,

    /// <summary>The user has been decommissioned.</summary>
    UserLeft = 2,

    /// <summary>The user that is created has a device list.</summary>
    UserExists = 3,

    /// <summary>The user that is changed has none.</summary>
    UserUnknown = 4,

    /// <summary>A username has an entry.</summary>
    UsernameTaken = 5,

    /// <summary>A device that is added has a version of a key.</summary>
    DeviceTaken = 6,

    /// <summary>A device that is set or removed is not on the list.</summary>
    DeviceUnknown = 7,

    /// <summary>The list would have more ids, or more octets, than it may.</summary>
    DeviceLimit = 8,

    /// <summary>An erasure names the latest version of a key, or one that is not there yet.</summary>
    LatestVersion = 9,

    /// <summary>All of a user is to be erased who has not been decommissioned.</summary>
    UserNotLeft = 10,

    /// <summary>A user has more values than one epoch erases.</summary>
    ErasureLimit = 11,

    /// <summary>An erasure names versions of another period than the one that is current.</summary>
    OtherPeriod = 12,

    /// <summary>All of a user is to be erased of whom no period that is served has anything.</summary>
    NothingLeft = 13,

    /// <summary>Versions of the list of a user who has left are to be erased: they go with all of the user alone.</summary>
    ErasedWithUser = 14,
}
