using Optiks.Storage.Replay;

namespace Optiks.QueryService.Following;

/// <summary>Hold is why no epoch can be followed now.</summary>
/// <param name="Why">A sentence for anyone's eyes.</param>
/// <param name="IsAlarm">The database's log is refused; otherwise the follower waits for something that is to come.</param>
internal sealed record Hold(string Why, bool IsAlarm)
{
    /// <summary>Waiting for something.</summary>
    public static Hold Waiting(string why) => new(why, IsAlarm: false);

    /// <summary>Alarm over a log that is refused; null for one that is not.</summary>
    public static Hold? Alarm(Refused? refused) => refused is null ? null : new(refused.Why, IsAlarm: true);
}
