namespace Optiks.Storage;

/// <summary>
/// The reasons why a request is refused (docs/spec/rest.md section 5, docs/spec/users.md section 7). The numbers are stored, and their
/// meaning never changes. The number 0 is not a reason (<see cref="ResultColumns"/>).
/// </summary>
public enum RefusalReason
{
    /// <summary>The key's latest version is not the expected version.</summary>
    ExpectedVersion = 1,

    /// <summary>The request changes a user who has been decommissioned.</summary>
    UserLeft = 2,

    /// <summary>The request creates a user who already has a device list.</summary>
    UserExists = 3,

    /// <summary>The request changes a user who has no device list.</summary>
    UserUnknown = 4,

    /// <summary>A username in the request already has an entry.</summary>
    UsernameTaken = 5,

    /// <summary>The request adds a device that already has a key version.</summary>
    DeviceTaken = 6,

    /// <summary>The request sets or removes a device that is not on the user's list.</summary>
    DeviceUnknown = 7,

    /// <summary>With the request, the device list would exceed its limit of ids or of bytes.</summary>
    DeviceLimit = 8,

    /// <summary>The erasure names the latest version of a key, or a version that does not exist yet.</summary>
    LatestVersion = 9,

    /// <summary>The request asks to erase everything of a user who has not been decommissioned.</summary>
    UserNotLeft = 10,

    /// <summary>The request asks to erase everything of a user who has more values than one epoch may erase.</summary>
    ErasureLimit = 11,

    /// <summary>The erasure names versions of another period than the current one.</summary>
    OtherPeriod = 12,

    /// <summary>The request asks to erase everything of a user, but no served period has any data of that user.</summary>
    NothingLeft = 13,

    /// <summary>
    /// The erasure names versions of the device list of a user who has left. These versions can be erased only together with everything of
    /// that user.
    /// </summary>
    ErasedWithUser = 14,
}
