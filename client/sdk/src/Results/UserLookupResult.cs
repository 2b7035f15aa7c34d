using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>UserLookupResult is a user with its devices, or that the user has left, or that there is proven to be none, or why the answer is refused.</summary>
public sealed record UserLookupResult : VerifiedAnswer
{
    internal UserLookupResult(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>Verdict: present also for a user who has left, see <see cref="HasLeft"/>.</summary>
    public override Verdict Verdict => !IsValid ? base.Verdict : User is null ? Verdict.Absent : Verdict.Present;

    /// <summary>Username that was asked for.</summary>
    public required ReadOnlyMemory<byte> Username { get; init; }

    /// <summary>AskedDevice, if one was; then <see cref="Devices"/> has it alone, or nothing if it is not the user's.</summary>
    public ReadOnlyMemory<byte>? AskedDevice { get; init; }

    /// <summary>User that the username leads to, its id; null unless present.</summary>
    public ReadOnlyMemory<byte>? User { get; init; }

    /// <summary>
    /// EarlierUsers to whom the username led before, from the first on; all of them have left for good. Empty in a log that uses no username again. What was agreed with this name before, by a key that was verified then,
    /// was agreed with them.
    /// </summary>
    public IReadOnlyList<EarlierUser> EarlierUsers { get; init; } = [];

    /// <summary>IsRecycled: the username led to another user before.</summary>
    public bool IsRecycled => EarlierUsers.Count > 0;

    /// <summary>HasLeft: the user has been decommissioned, for good, and has no devices.</summary>
    public bool HasLeft { get; init; }

    /// <summary>Epoch at which all of it is true; 0 unless valid.</summary>
    public ulong Epoch { get; init; }

    /// <summary>Time of that epoch's record; null unless valid. The head's may be earlier or later.</summary>
    public DateTimeOffset? Time { get; init; }

    /// <summary>ListVersion of the device list in the head's period: 1, 2, ...; 0 unless there is a list.</summary>
    public ulong ListVersion { get; init; }

    /// <summary>ListEpoch is the epoch that inserted this version of the list; 0 for a copy made at a period's start, or when there is none.</summary>
    public ulong ListEpoch { get; init; }

    /// <summary>Devices of the user in the order of their ids: all, or the one that was asked for. Empty unless present.</summary>
    public IReadOnlyList<UserDevice> Devices { get; init; } = [];

    /// <summary>Alarms that the owner of this name, or of this user, has to be told: the name leads to another user, or the user has left unasked. They stay until they are acknowledged.</summary>
    public IReadOnlyList<UserAlarm> Alarms { get; init; } = [];

    /// <summary>AtFault: in a refused answer for several users, the one whose proof failed first.</summary>
    public bool AtFault { get; init; }
}
