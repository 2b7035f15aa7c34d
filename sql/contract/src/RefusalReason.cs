namespace Optiks.Storage;

/// <summary>
/// The reasons why an item has no leaf (docs/spec/rest.md section 5, docs/spec/users.md section 7). The numbers are stored and never change
/// their meaning.
/// </summary>
public enum RefusalReason
{
    /// <summary>
    /// The update-task accepted the item but inserted no leaf for it. The item names a user whose device list the request does not change
    /// (<see cref="UserChange"/>), or it is an erasure that was carried out (<see cref="ErasureOrder"/>).
    /// </summary>
    Unchanged = 0,

    /// <summary>The key's latest version is not the expected version.</summary>
    ExpectedVersion = 1,

    /// <summary>The user has been decommissioned.</summary>
    UserLeft = 2,

    /// <summary>The user to create already has a device list.</summary>
    UserExists = 3,

    /// <summary>The user to change has no device list.</summary>
    UserUnknown = 4,

    /// <summary>A username already has an entry.</summary>
    UsernameTaken = 5,

    /// <summary>A device to add has a version of a key.</summary>
    DeviceTaken = 6,

    /// <summary>A device to set or remove is not on the list.</summary>
    DeviceUnknown = 7,

    /// <summary>The device list would exceed its limit of ids or of bytes.</summary>
    DeviceLimit = 8,

    /// <summary>An erasure names the latest version of a key, or a version that does not exist yet.</summary>
    LatestVersion = 9,

    /// <summary>An erasure asks for everything of a user who has not been decommissioned.</summary>
    UserNotLeft = 10,

    /// <summary>An erasure asks for everything of a user, and the user has more values than one epoch may erase.</summary>
    ErasureLimit = 11,

    /// <summary>An erasure names versions of another period than the current period.</summary>
    OtherPeriod = 12,

    /// <summary>An erasure asks for everything of a user, and no period that is served has anything of that user.</summary>
    NothingLeft = 13,

    /// <summary>
    /// An erasure names versions of the device list of a user who has left; they can be erased only with everything of the user.
    /// </summary>
    ErasedWithUser = 14,
}
