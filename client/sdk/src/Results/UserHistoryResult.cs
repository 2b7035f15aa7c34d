namespace Optiks.Client;

/// <summary>
/// Every version of a user's device list in the current period, and of the keys of all devices that were ever on the list. Otherwise the
/// result says that no user has the name, or why the client refused the answer.
/// </summary>
public sealed record UserHistoryResult : VerifiedAnswer
{
    internal UserHistoryResult(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>The verdict on the answer. If no user has the name, it is <c>Absent</c>.</summary>
    public override Verdict Verdict => IsValid && User is null ? Verdict.Absent : base.Verdict;

    /// <summary>The requested username.</summary>
    public required ReadOnlyMemory<byte> Username { get; init; }

    /// <summary>The id of the user to whom the username leads; null when no user has the name.</summary>
    public ReadOnlyMemory<byte>? User { get; init; }

    /// <summary>Whether the user has left for good. If so, servers show nothing more of the user.</summary>
    public bool HasLeft { get; init; }

    /// <summary>The versions 1, 2, ... of the device list.</summary>
    public IReadOnlyList<UserListVersion> Lists { get; init; } = [];

    /// <summary>
    /// The devices that are on at least one of the shown lists, in the order of the device ids, each with all versions of its key.
    /// </summary>
    public IReadOnlyList<UserDeviceVersions> Devices { get; init; } = [];
}
