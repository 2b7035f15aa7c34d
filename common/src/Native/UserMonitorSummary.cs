namespace Optiks.Native;

/// <summary>UserMonitorSummary is what an answer to an owner about its own user will be, known before its proofs are made.</summary>
/// <param name="Entries">Names, decommission, list and keys that it shows, and one for each 64 versions of the list that were read on the way to it.</param>
/// <param name="Proofs">VRF proofs that it needs.</param>
/// <param name="Index">Of the name or the named id that <paramref name="Unanswered"/> is about.</param>
/// <param name="Unanswered">Why nothing is written; <see cref="OwnUserUnanswered.None"/>, as a rule.</param>
public readonly record struct UserMonitorSummary(int Entries, int Proofs, int Index, OwnUserUnanswered Unanswered)
{
    internal static UserMonitorSummary Of(in Interop.UserMonitorSummary native) =>
        new(checked((int)native.NumEntries), checked((int)native.NumProofs), checked((int)native.Index), (OwnUserUnanswered)native.Unanswered);
}
