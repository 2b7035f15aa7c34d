namespace Optiks.Client;

/// <summary>MonitorResult says what happened to a key that this client owns, or why the answer is refused.</summary>
public sealed record MonitorResult : VerifiedAnswer
{
    internal MonitorResult(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>Key that is monitored.</summary>
    public required ReadOnlyMemory<byte> Key { get; init; }

    /// <summary>Version is the latest; no later one exists at the head's epoch. 0: none.</summary>
    public ulong Version { get; init; }

    /// <summary>NewVersions since the key was monitored last, expected or not, of all periods since then. Copies that are what they ought to be are none.</summary>
    public IReadOnlyList<KeyVersion> NewVersions { get; init; } = [];

    /// <summary>HandedOver are the periods whose end this call verified, and that the next one began with a true copy of the key.</summary>
    public IReadOnlyList<ulong> HandedOver { get; init; } = [];

    /// <summary>NoGuarantee for these epochs, for good: what was shown of the key in them can be found out by nobody any more. Also when the answer is refused.</summary>
    public IReadOnlyList<NoGuarantee> NoGuarantee { get; init; } = [];

    /// <summary>Alarms: versions that the owner did not set here and has not acknowledged, old ones too.</summary>
    public IReadOnlyList<OwnerAlarm> Alarms { get; init; } = [];

    /// <summary>Pending is the number of updates made here that are not published yet.</summary>
    public int Pending { get; init; }

    /// <summary>Overtaken is the number of updates made here that were not seen before a later one was: nobody knows what became of them. Should one come yet, it is an alarm.</summary>
    public int Overtaken { get; init; }
}
