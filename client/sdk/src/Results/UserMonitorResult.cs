namespace Optiks.Client;

/// <summary>
/// Reports what happened to a user that this client owns, or that no user has the name, or why the client refused the answer.
/// </summary>
public sealed record UserMonitorResult : VerifiedAnswer
{
    internal UserMonitorResult(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>The verdict on the answer. If no user has the name, it is <c>Absent</c>.</summary>
    public override Verdict Verdict => IsValid && User is null ? Verdict.Absent : base.Verdict;

    /// <summary>The given username.</summary>
    public required ReadOnlyMemory<byte> Username { get; init; }

    /// <summary>The id of the monitored user; null when no user has the name.</summary>
    public ReadOnlyMemory<byte>? User { get; init; }

    /// <summary>Whether the user has left for good. If so, servers show nothing more of the user.</summary>
    public bool HasLeft { get; init; }

    /// <summary>
    /// The latest version of the device list at the head's epoch; the call verified that no later version exists. It is 0 if the user has
    /// left.
    /// </summary>
    public ulong ListVersion { get; init; }

    /// <summary>The devices on the list, in the order of their ids.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> Devices { get; init; } = [];

    /// <summary>
    /// The periods whose end this call verified, and after which the next period began with true copies of the list and of the keys of its
    /// devices.
    /// </summary>
    public IReadOnlyList<ulong> HandedOver { get; init; } = [];

    /// <summary>
    /// The epochs without guarantee: nobody can ever find out what servers showed of the list and its devices in them. This is set even
    /// when the client refused the answer.
    /// </summary>
    public IReadOnlyList<Missed> NoGuarantee { get; init; } = [];

    /// <summary>All versions of the device list since the user was last monitored, whether or not the owner expected them.</summary>
    public IReadOnlyList<UserListVersion> NewLists { get; init; } = [];

    /// <summary>
    /// All versions, since the user was last monitored, of the keys of all devices that were on the list, whether or not the owner expected
    /// them.
    /// </summary>
    public IReadOnlyList<UserDeviceVersions> NewVersions { get; init; } = [];

    /// <summary>
    /// Alarms about changes that were not made with this state. The list contains old and new alarms until the owner acknowledges them. It
    /// is set even when the client refused the answer.
    /// </summary>
    public IReadOnlyList<UserAlarm> Alarms { get; init; } = [];

    /// <summary>Whether this call has something new to report, or the client refused the answer.</summary>
    public bool HasNews { get; init; }

    /// <summary>The number of changes made with this state that the log has not shown yet.</summary>
    public int Pending { get; init; }

    /// <summary>
    /// The number of changes made with this state that have an unknown outcome, because the log showed a later change first. If the log
    /// publishes such a change after all, monitoring raises an alarm.
    /// </summary>
    public int Overtaken { get; init; }
}
