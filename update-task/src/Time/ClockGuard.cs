using System.Globalization;

namespace Optiks.UpdateTask.Time;

/// <summary>
/// Compares the wall clock with the database's clock, and with the monotonic clock since the guard was made. One record with a time far in
/// the future would block all later records forever, so an untrustworthy clock stops publication. The guard lives as long as the process,
/// also while the process is a standby. By restarting the task the operator confirms that the clock is right.
/// </summary>
internal sealed class ClockGuard
{
    private readonly TimeProvider _time;
    private readonly TimeSpan _limit;
    private readonly DateTimeOffset _startWall;
    private readonly long _startTimestamp;

    public ClockGuard(TimeProvider time, TimeSpan limit)
    {
        _time = time;
        _limit = limit;
        _startWall = time.GetUtcNow();
        _startTimestamp = time.GetTimestamp();
    }

    /// <summary>Returns null, or one sentence that says which clocks disagree.</summary>
    /// <param name="databaseClock">The database's current time.</param>
    /// <param name="wall">The checked wall-clock time, which a record may use; reading the clock again could give a different time.</param>
    public string? Check(DateTimeOffset databaseClock, out DateTimeOffset wall)
    {
        wall = _time.GetUtcNow();
        TimeSpan drift = wall - _startWall - _time.GetElapsedTime(_startTimestamp);
        if (drift.Duration() > _limit)
        {
            return string.Create(
                CultureInfo.InvariantCulture,
                $"The wall clock moved {drift.TotalSeconds:F1} s against the monotonic clock: nothing is published until it is back. If it is correct now, restart the update-task.");
        }
        TimeSpan difference = wall - databaseClock;
        return difference.Duration() > _limit
            ? string.Create(
                CultureInfo.InvariantCulture,
                $"This machine's clock differs by {difference.TotalSeconds:F1} s from the database's: nothing is published until they agree.")
            : null;
    }
}
