namespace Optiks.Client;

/// <summary>UserHistoryResult is every version of a user's device list in the current period, and of the keys of all devices that were ever on it; or that no user has the name, or why the answer is refused.</summary>
public sealed record UserHistoryResult : VerifiedAnswer
{
    internal UserHistoryResult(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>Verdict: absent if no user has the name.</summary>
    public override Verdict Verdict => IsValid && User is null ? Verdict.Absent : base.Verdict;

    /// <summary>Username that was asked for.</summary>
    public required ReadOnlyMemory<byte> Username { get; init; }

    /// <summary>User that the username leads to, its id; null when no user has the name.</summary>
    public ReadOnlyMemory<byte>? User { get; init; }

    /// <summary>HasLeft: the user has been decommissioned, for good, and nothing more is shown.</summary>
    public bool HasLeft { get; init; }

    /// <summary>Lists: versions 1, 2, ... of the device list.</summary>
    public IReadOnlyList<UserListVersion> Lists { get; init; } = [];

    /// <summary>Devices that were ever on a list that is shown, in the order of their ids, with all versions of their keys.</summary>
    public IReadOnlyList<UserDeviceVersions> Devices { get; init; } = [];
}
