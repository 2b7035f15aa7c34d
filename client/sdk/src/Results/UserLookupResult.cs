using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// A user with its devices, or that the user has left, or the proof that there is no such user, or why the answer is refused.
/// </summary>
public sealed record UserLookupResult : VerifiedAnswer
{
    internal UserLookupResult(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>The verdict; present also for a user who has left, see <see cref="HasLeft"/>.</summary>
    public override Verdict Verdict => !IsValid ? base.Verdict : User is null ? Verdict.Absent : Verdict.Present;

    /// <summary>The requested username.</summary>
    public required ReadOnlyMemory<byte> Username { get; init; }

    /// <summary>
    /// The requested device, if the question named one. <see cref="Devices"/> then has only that device, or nothing if it is not the
    /// user's.
    /// </summary>
    public ReadOnlyMemory<byte>? AskedDevice { get; init; }

    /// <summary>The id of the user to whom the username leads; null unless present.</summary>
    public ReadOnlyMemory<byte>? User { get; init; }

    /// <summary>
    /// The users to whom the username led before, from the first on; all of them have left for good. Empty in a log that does not reassign
    /// usernames. Anything that was agreed with this name before, by a key that was verified then, was agreed with them.
    /// </summary>
    public IReadOnlyList<EarlierUser> EarlierUsers { get; init; } = [];

    /// <summary>Whether the username led to another user before.</summary>
    public bool IsRecycled => EarlierUsers.Count > 0;

    /// <summary>Whether the user has been decommissioned, for good, and has no devices.</summary>
    public bool HasLeft { get; init; }

    /// <summary>The epoch at which all of it is true; 0 unless valid.</summary>
    public ulong Epoch { get; init; }

    /// <summary>The time of that epoch's record; null unless valid. The head's may be earlier or later.</summary>
    public DateTimeOffset? Time { get; init; }

    /// <summary>The version of the device list in the head's period: 1, 2, ...; 0 without a list.</summary>
    public ulong ListVersion { get; init; }

    /// <summary>The epoch that inserted this version of the list; 0 for a copy made at a period's start, or without a list.</summary>
    public ulong ListEpoch { get; init; }

    /// <summary>The user's devices in the order of their ids: all, or the requested one. Empty unless present.</summary>
    public IReadOnlyList<UserDevice> Devices { get; init; } = [];

    /// <summary>
    /// Alarms for the owner of this name, or of this user: the name leads to another user, or the user has left unasked. They stay until
    /// they are acknowledged.
    /// </summary>
    public IReadOnlyList<UserAlarm> Alarms { get; init; } = [];

    /// <summary>Whether, in a refused answer for several users, this user's proof failed first.</summary>
    public bool AtFault { get; init; }
}
