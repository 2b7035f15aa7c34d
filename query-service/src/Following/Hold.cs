using Optiks.Storage.Replay;

namespace Optiks.QueryService.Following;

/// <summary>Hold is why no epoch can be followed now.</summary>
/// <param name="Cause">Whose matter it is.</param>
/// <param name="Why">A sentence for anyone's eyes.</param>
/// <param name="Exception">What was thrown, if anything was.</param>
internal sealed record Hold(HoldCause Cause, string Why, Exception? Exception = null)
{
    /// <summary>Waiting for something that is to come.</summary>
    public static Hold Waiting(string why) => new(HoldCause.Waiting, why);

    /// <summary>Alarm over a log that is refused; null for one that is not.</summary>
    public static Hold? Alarm(Refused? refused) => refused is null ? null : new(HoldCause.Refused, refused.Why);
}
