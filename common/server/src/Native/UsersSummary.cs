namespace Optiks.Native;

/// <summary>Summarizes an answer about users, before the answer's proofs are made.</summary>
/// <param name="Entries">The number of usernames, decommissions, device lists and keys that the answer shows. If the answer would show too
/// many of them, the count stops early.</param>
/// <param name="Proofs">The number of VRF proofs that the answer needs.</param>
/// <param name="AheadUser">The index of the user about whom the client already knows a later version than the view has.</param>
/// <param name="AheadOf">The part of that user's state of which the client knows a later version than the view has. If there is no such
/// part, the value is <see cref="KnownOfUser.None"/>.</param>
public readonly record struct UsersSummary(int Entries, int Proofs, int AheadUser, KnownOfUser AheadOf)
{
    internal static UsersSummary From(in DirectoryInterop.UsersSummary native) =>
        new(checked((int)native.NumEntries), checked((int)native.NumProofs), checked((int)native.AheadUser), (KnownOfUser)native.AheadOf);

    /// <summary>
    /// Returns whether an answer is written. This requires that no client knows a later version than the view has, and that an answer about
    /// several users has at most <paramref name="maxEntries"/> entries.
    /// </summary>
    public bool IsAnswered(int users, int maxEntries) => AheadOf == KnownOfUser.None && (users == 1 || Entries <= maxEntries);
}
