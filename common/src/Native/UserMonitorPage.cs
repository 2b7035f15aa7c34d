namespace Optiks.Native;

/// <summary>UserMonitorPage bounds an answer to an owner about its own user. Whatever it says, the answer has one version of the list and of each followed key, if there are any.</summary>
/// <param name="MaxMembers">Versions of the list, and of each key; at least 1.</param>
/// <param name="MaxAllMembers">Versions of all keys together.</param>
/// <param name="MaxFollowed">Followed ids, beyond which the list's page ends.</param>
/// <param name="MaxOctets">Octets, about.</param>
/// <param name="OwnOnly">Nothing is answered if a name leads to another user, or an id that is named was never on the list: for who may see no other user.</param>
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
