namespace Optiks.Native;

/// <summary>
/// Limits the size of an answer to an owner about its own user. The answer has at least one version of the device list and one version of
/// each followed key, if they exist, even if the answer then exceeds the limits.
/// </summary>
/// <param name="MaxMembers">The highest number of versions of the device list, and the highest number of versions of each key. The number
/// is at least 1.</param>
/// <param name="MaxAllMembers">The highest number of versions of all keys together.</param>
/// <param name="MaxFollowed">The highest number of followed device ids. The page of the device list ends before a version that would exceed
/// this number.</param>
/// <param name="MaxOctets">The approximate size of the answer in bytes.</param>
/// <param name="OwnOnly">Whether to refuse a query in which a username leads to another user, or in which a named device id was never on
/// the device list. It is true if the caller may see nothing of other users.</param>
public readonly record struct UserMonitorPage(int MaxMembers, int MaxAllMembers, int MaxFollowed, int MaxOctets, bool OwnOnly = false)
{
    internal DirectoryInterop.UserMonitorPage ToNative() => new()
    {
        MaxMembers = (ulong)MaxMembers,
        MaxAllMembers = (ulong)MaxAllMembers,
        MaxFollowed = (ulong)MaxFollowed,
        MaxBytes = (ulong)MaxOctets,
        OwnOnly = OwnOnly ? 1u : 0u,
    };
}
