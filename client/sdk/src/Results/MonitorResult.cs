namespace Optiks.Client;

/// <summary>Reports what happened to a key that this client owns, or why the answer is refused.</summary>
public sealed record MonitorResult : VerifiedAnswer
{
    internal MonitorResult(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>The monitored key.</summary>
    public required ReadOnlyMemory<byte> Key { get; init; }

    /// <summary>The latest version; no later one exists at the head's epoch. 0 if the key has no version.</summary>
    public ulong Version { get; init; }

    /// <summary>
    /// The versions since the key was last monitored, expected or not, of all periods since then. Correct copies are not listed.
    /// </summary>
    public IReadOnlyList<KeyVersion> NewVersions { get; init; } = [];

    /// <summary>The periods whose end this call verified, and after which the next period began with a true copy of the key.</summary>
    public IReadOnlyList<ulong> HandedOver { get; init; } = [];

    /// <summary>
    /// Epochs without guarantee: nobody can ever find out what was shown of the key in them. Set even when the answer is refused.
    /// </summary>
    public IReadOnlyList<NoGuarantee> NoGuarantee { get; init; } = [];

    /// <summary>Versions that the owner did not set here and has not acknowledged, old ones too.</summary>
    public IReadOnlyList<OwnerAlarm> Alarms { get; init; } = [];

    /// <summary>The number of updates made here that are not published yet.</summary>
    public int Pending { get; init; }

    /// <summary>
    /// The number of updates made here that a later one overtook before they were seen: nobody knows their outcome. If one is published
    /// after all, it is an alarm.
    /// </summary>
    public int Overtaken { get; init; }
}
