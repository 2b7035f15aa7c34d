namespace Optiks.Client;

/// <summary>The alarms of an owned key with their versions, or the reason why the client refused the answer.</summary>
public sealed record AlarmReview : VerifiedAnswer
{
    internal AlarmReview(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>The owned key.</summary>
    public required ReadOnlyMemory<byte> Key { get; init; }

    /// <summary>The alarms whose versions the log shows, in the order of the versions; empty when the answer is not valid.</summary>
    public IReadOnlyList<ReviewedAlarm> Alarms { get; init; } = [];
}
