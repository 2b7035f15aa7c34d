namespace Optiks.Client;

/// <summary>Reports what happened to a key that this client owns, or the reason why the client refused the answer.</summary>
public sealed record MonitorResult : VerifiedAnswer
{
    internal MonitorResult(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>The monitored key.</summary>
    public required ReadOnlyMemory<byte> Key { get; init; }

    /// <summary>
    /// The latest version at the head's epoch; the call verified that no later version exists. It is 0 if the key has no version.
    /// </summary>
    public ulong Version { get; init; }

    /// <summary>
    /// All versions since the key was last monitored, from all periods since then, whether or not the owner expected them. The list leaves
    /// out correct copies.
    /// </summary>
    public IReadOnlyList<KeyVersion> NewVersions { get; init; } = [];

    /// <summary>The periods whose end this call verified, and after which the next period began with a true copy of the key.</summary>
    public IReadOnlyList<ulong> HandedOver { get; init; } = [];

    /// <summary>
    /// The epochs without guarantee: nobody can ever find out which versions of the key servers showed in them. This is set even when the
    /// client refused the answer.
    /// </summary>
    public IReadOnlyList<Missed> NoGuarantee { get; init; } = [];

    /// <summary>
    /// Alarms about versions that the owner did not set with this state. The list contains old and new alarms until the owner acknowledges
    /// them.
    /// </summary>
    public IReadOnlyList<Alarm> Alarms { get; init; } = [];

    /// <summary>The number of updates made with this state that the log has not published yet.</summary>
    public int Pending { get; init; }

    /// <summary>
    /// The number of updates made with this state that have an unknown outcome, because the log showed a later update first. If the log
    /// publishes such an update after all, monitoring raises an alarm.
    /// </summary>
    public int Overtaken { get; init; }
}
