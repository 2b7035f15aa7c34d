namespace Optiks.Native;

/// <summary>UsersSummary is what an answer about users will be, known before its proofs are made.</summary>
/// <param name="Entries">Usernames, decommissions, device lists and keys that it shows; of an answer with too many of them no more than was counted.</param>
/// <param name="Proofs">VRF proofs that it needs.</param>
/// <param name="AheadUser">Index of the user of whom the client knows more than the view has.</param>
/// <param name="AheadOf">What the client knows more of; nothing, as a rule.</param>
public readonly record struct UsersSummary(int Entries, int Proofs, int AheadUser, KnownOfUser AheadOf)
{
    internal static UsersSummary Of(in Interop.UsersSummary native) =>
        new(checked((int)native.NumEntries), checked((int)native.NumProofs), checked((int)native.AheadUser), (KnownOfUser)native.AheadOf);

    /// <summary>IsAnswered says whether an answer is written: no client is ahead, and one about several users has at most so many entries.</summary>
    public bool IsAnswered(int users, int maxEntries) => AheadOf == KnownOfUser.None && (users == 1 || Entries <= maxEntries);
}
