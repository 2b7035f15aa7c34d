namespace Optiks.Client;

/// <summary>UserAlarmReview is the alarms of an owned user with what they are about, or why the answer is refused.</summary>
public sealed record UserAlarmReview : VerifiedAnswer
{
    internal UserAlarmReview(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>Username of the user.</summary>
    public required ReadOnlyMemory<byte> Username { get; init; }

    /// <summary>Alarms; empty when the answer is not valid.</summary>
    public IReadOnlyList<ReviewedUserAlarm> Alarms { get; init; } = [];
}
