namespace Optiks.Client;

/// <summary>The alarms of an owned user with the lists and values in question, or the reason why the client refused the answer.</summary>
public sealed record UserAlarmReview : VerifiedAnswer
{
    internal UserAlarmReview(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>The user's username.</summary>
    public required ReadOnlyMemory<byte> Username { get; init; }

    /// <summary>The alarms; empty when the answer is not valid.</summary>
    public IReadOnlyList<ReviewedUserAlarm> Alarms { get; init; } = [];
}
