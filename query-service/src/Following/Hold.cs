using Optiks.Storage.Replay;

namespace Optiks.QueryService.Following;

/// <summary>The reason why no epoch can be followed now.</summary>
/// <param name="Cause">The kind of cause.</param>
/// <param name="Why">A sentence that anyone may read.</param>
/// <param name="Exception">The exception that was thrown, if any.</param>
internal sealed record Hold(HoldCause Cause, string Why, Exception? Exception = null)
{
    /// <summary>Creates a hold that waits for an event.</summary>
    public static Hold Waiting(string why) => new(HoldCause.Waiting, why);

    /// <summary>Creates the alarm for a log that is refused; null when it is not refused.</summary>
    public static Hold? Alarm(Refused? refused) => refused is null ? null : new(HoldCause.Refused, refused.Why);
}
