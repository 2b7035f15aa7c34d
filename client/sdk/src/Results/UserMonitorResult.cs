namespace Optiks.Client;

/// <summary>Reports what happened to a user that this client owns, or that no user has the name, or why the answer is refused.</summary>
public sealed record UserMonitorResult : VerifiedAnswer
{
    internal UserMonitorResult(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>The verdict; absent if no user has the name.</summary>
    public override Verdict Verdict => IsValid && User is null ? Verdict.Absent : base.Verdict;

    /// <summary>The given username.</summary>
    public required ReadOnlyMemory<byte> Username { get; init; }

    /// <summary>The id of the monitored user; null when no user has the name.</summary>
    public ReadOnlyMemory<byte>? User { get; init; }

    /// <summary>Whether the user has been decommissioned, for good; nothing more is shown then.</summary>
    public bool HasLeft { get; init; }

    /// <summary>The latest version of the device list; no later one exists at the head's epoch. 0 if the user has left.</summary>
    public ulong ListVersion { get; init; }

    /// <summary>The devices on the list, in the order of their ids.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> Devices { get; init; } = [];

    /// <summary>
    /// The periods whose end this call verified, and after which the next period began with true copies of the list and of the keys of its
    /// devices.
    /// </summary>
    public IReadOnlyList<ulong> HandedOver { get; init; } = [];

    /// <summary>
    /// Epochs without guarantee: nobody can ever find out what was shown of the list and its devices in them. Set even when the answer is
    /// refused.
    /// </summary>
    public IReadOnlyList<NoGuarantee> NoGuarantee { get; init; } = [];

    /// <summary>The versions of the device list since the user was last monitored, expected or not.</summary>
    public IReadOnlyList<UserListVersion> NewLists { get; init; } = [];

    /// <summary>The versions, since then, of the keys of all devices that were on the list, expected or not.</summary>
    public IReadOnlyList<UserDeviceVersions> NewVersions { get; init; } = [];

    /// <summary>
    /// Changes that were not made here and that nobody has acknowledged, old ones too; set even when the answer is refused.
    /// </summary>
    public IReadOnlyList<UserAlarm> Alarms { get; init; } = [];

    /// <summary>Whether there is something new to report, or the answer is refused.</summary>
    public bool HasNews { get; init; }

    /// <summary>The number of changes made here that were not seen yet.</summary>
    public int Pending { get; init; }

    /// <summary>
    /// The number of changes made here that a later one overtook before they were seen: nobody knows their outcome. If one is published
    /// after all, it is an alarm.
    /// </summary>
    public int Overtaken { get; init; }
}
