using Optiks.Storage;

namespace Optiks.QueryService.Following;

/// <summary>The reason why no epoch can be followed now.</summary>
/// <param name="Cause">The kind of the cause.</param>
/// <param name="Why">A sentence that gives the reason, without secrets.</param>
/// <param name="Exception">The exception that caused the hold; null if no exception did.</param>
internal sealed record Hold(HoldCause Cause, string Why, Exception? Exception = null)
{
    /// <summary>Creates the hold of a replica that waits for something that does not exist yet.</summary>
    public static Hold Waiting(string why) => new(HoldCause.Waiting, why);

    /// <summary>Creates the alarm for a refusal; returns null if there is no refusal.</summary>
    public static Hold? Alarm(Refused? refused) => refused is null ? null : new(HoldCause.Refused, refused.Why);
}
