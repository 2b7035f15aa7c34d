namespace Optiks.Client;

/// <summary>UserMonitorResult says what happened to a user that this client owns, or that no user has the name, or why the answer is refused.</summary>
public sealed record UserMonitorResult : VerifiedAnswer
{
    internal UserMonitorResult(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>Verdict: absent if no user has the name.</summary>
    public override Verdict Verdict => IsValid && User is null ? Verdict.Absent : base.Verdict;

    /// <summary>Username that was given.</summary>
    public required ReadOnlyMemory<byte> Username { get; init; }

    /// <summary>User that is monitored, its id; null when no user has the name.</summary>
    public ReadOnlyMemory<byte>? User { get; init; }

    /// <summary>HasLeft: the user has been decommissioned, for good, and nothing more is shown.</summary>
    public bool HasLeft { get; init; }

    /// <summary>ListVersion of the device list; no later one exists at the head's epoch. 0 if the user has left.</summary>
    public ulong ListVersion { get; init; }

    /// <summary>Devices on the list, in the order of their ids.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> Devices { get; init; } = [];

    /// <summary>HandedOver are the periods whose end this call verified, and that the next one began with true copies of the list and of the devices on it.</summary>
    public IReadOnlyList<ulong> HandedOver { get; init; } = [];

    /// <summary>NoGuarantee for these epochs, for good: what was shown of the list and of the devices on it in them can be found out by nobody any more. Also when the answer is refused.</summary>
    public IReadOnlyList<NoGuarantee> NoGuarantee { get; init; } = [];

    /// <summary>NewLists: versions of the device list since the user was monitored last, expected or not.</summary>
    public IReadOnlyList<UserListVersion> NewLists { get; init; } = [];

    /// <summary>NewVersions of the keys of all devices that were on the list since then, expected or not.</summary>
    public IReadOnlyList<UserDeviceVersions> NewVersions { get; init; } = [];

    /// <summary>Alarms: what was not done here and nobody has acknowledged, old ones too; also when the answer is refused.</summary>
    public IReadOnlyList<UserAlarm> Alarms { get; init; } = [];

    /// <summary>HasNews: there is something to tell that was not told before, or the answer is refused.</summary>
    public bool HasNews { get; init; }

    /// <summary>Pending is the number of changes made here that were not seen yet.</summary>
    public int Pending { get; init; }

    /// <summary>Overtaken is the number of changes made here that were not seen before a later one was: nobody knows what became of them. Should one come yet, it is an alarm.</summary>
    public int Overtaken { get; init; }
}
