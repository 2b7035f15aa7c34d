using System.Globalization;

namespace Optiks.UpdateTask.Time;

/// <summary>
/// Compares the wall clock with the database's clock. Also checks that the wall clock and the monotonic clock have advanced equally since
/// the guard was made. If the clocks disagree, the task publishes nothing, because one record with a time far in the future would block all
/// later records. The guard lives as long as the process, even while the process is a standby. An operator who knows that the wall clock is
/// right restarts the task, which makes a new guard.
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
    /// <param name="wall">The wall-clock time that was checked. A record must use this time, because the clock could jump before it is read
    /// again.</param>
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
