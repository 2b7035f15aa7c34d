namespace Optiks.Native;

/// <summary>Summarizes an answer to an owner about its own user, before the answer's proofs are made.</summary>
/// <param name="Entries">The number of entries in the answer (usernames, decommission, device list, keys), plus one for every 64 versions
/// of the device list that were read to make the answer.</param>
/// <param name="Proofs">The number of VRF proofs that the answer needs.</param>
/// <param name="Index">The index of the username or named device id for which <paramref name="Unanswered"/> is the reason.</param>
/// <param name="Unanswered">The reason why no answer is written; usually <see cref="OwnUserUnanswered.None"/>.</param>
public readonly record struct UserMonitorSummary(int Entries, int Proofs, int Index, OwnUserUnanswered Unanswered)
{
    internal static UserMonitorSummary From(in DirectoryInterop.UserMonitorSummary native) =>
        new(checked((int)native.NumEntries), checked((int)native.NumProofs), checked((int)native.Index),
            (OwnUserUnanswered)native.Unanswered);
}
