namespace Optiks.Native;

/// <summary>
/// Bounds an answer to an owner about its own user. An answer always has one version of the list and one of each followed key, if they
/// exist, whatever the bounds.
/// </summary>
/// <param name="MaxMembers">The highest number of versions of the list, and of each key; at least 1.</param>
/// <param name="MaxAllMembers">The highest number of versions of all keys together.</param>
/// <param name="MaxFollowed">The highest number of followed ids; the list's page ends before it would have more.</param>
/// <param name="MaxOctets">The approximate size of the answer in bytes.</param>
/// <param name="OwnOnly">Whether to refuse an answer if a name leads to another user, or if a named id was never on the list. This is for a
/// caller that may see no other user.</param>
public readonly record struct UserMonitorPage(int MaxMembers, int MaxAllMembers, int MaxFollowed, int MaxOctets, bool OwnOnly = false)
{
    internal Interop.UserMonitorPage ToNative() => new()
    {
        MaxMembers = (ulong)MaxMembers,
        MaxAllMembers = (ulong)MaxAllMembers,
        MaxFollowed = (ulong)MaxFollowed,
        MaxBytes = (ulong)MaxOctets,
        OwnOnly = OwnOnly ? 1u : 0u,
    };
}
