namespace Optiks.Client;

/// <summary>AlarmReview is the alarms of an owned key with the versions that they are of, or why the answer is refused.</summary>
public sealed record AlarmReview : VerifiedAnswer
{
    internal AlarmReview(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>Key that is owned.</summary>
    public required ReadOnlyMemory<byte> Key { get; init; }

    /// <summary>Alarms that the log shows the versions of, by version; empty when the answer is not valid.</summary>
    public IReadOnlyList<ReviewedAlarm> Alarms { get; init; } = [];
}
