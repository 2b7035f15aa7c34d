using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// A user with its devices, or the proof that the user has left or does not exist, or the reason why the client refused the answer.
/// </summary>
public sealed record UserLookupResult : VerifiedAnswer
{
    internal UserLookupResult(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>The verdict on the answer. It is <c>Present</c> also if the user has left (<see cref="HasLeft"/>).</summary>
    public override Verdict Verdict => !IsValid ? base.Verdict : User is null ? Verdict.Absent : Verdict.Present;

    /// <summary>The requested username.</summary>
    public required ReadOnlyMemory<byte> Username { get; init; }

    /// <summary>
    /// The requested device, if the question named a device. <see cref="Devices"/> then has only that device, or is empty if the device is
    /// not the user's.
    /// </summary>
    public ReadOnlyMemory<byte>? AskedDevice { get; init; }

    /// <summary>The id of the user to whom the username leads; null if no user has the name, or the answer is not valid.</summary>
    public ReadOnlyMemory<byte>? User { get; init; }

    /// <summary>
    /// The earlier users of the username, oldest first. All of them have left for good. Empty in a log that does not reassign usernames. If
    /// somebody verified a key under this name at an earlier time, the key was one of these users' and not the current user's.
    /// </summary>
    public IReadOnlyList<EarlierUser> EarlierUsers { get; init; } = [];

    /// <summary>Whether the username led to another user earlier.</summary>
    public bool IsRecycled => EarlierUsers.Count > 0;

    /// <summary>Whether the user has left for good. Such a user has no devices.</summary>
    public bool HasLeft { get; init; }

    /// <summary>The epoch at which all parts of this result are true; 0 unless the result is valid.</summary>
    public ulong Epoch { get; init; }

    /// <summary>
    /// The time of the record of the epoch that the property <see cref="Epoch"/> names; null unless the result is valid. It may differ from
    /// the time of the head.
    /// </summary>
    public DateTimeOffset? Time { get; init; }

    /// <summary>The version of the device list in the head's period: 1, 2, ...; 0 when there is no list.</summary>
    public ulong ListVersion { get; init; }

    /// <summary>
    /// The epoch that inserted this version of the list; 0 for a copy made at a period's start, or when there is no list.
    /// </summary>
    public ulong ListEpoch { get; init; }

    /// <summary>
    /// The user's devices in the order of their ids: all devices, or the requested device. Empty unless the user is present.
    /// </summary>
    public IReadOnlyList<UserDevice> Devices { get; init; } = [];

    /// <summary>
    /// Alarms for the owner of this name or user: the name leads to another user, or the user has left although the owner did not request
    /// it. The alarms stay until the owner acknowledges them.
    /// </summary>
    public IReadOnlyList<UserAlarm> Alarms { get; init; } = [];

    /// <summary>Whether this user's proof is the one that failed first, in a refused answer for several users.</summary>
    public bool AtFault { get; init; }
}
