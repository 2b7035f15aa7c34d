using System.Globalization;

namespace Optiks.UpdateTask.Time;

/// <summary>
/// ClockGuard compares the wall clock with two that it should agree with: the database's, and the monotonic clock since the guard was made. One record with a time far in the
/// future would hold up every later record for good, so a clock that cannot be trusted stops publishing. One for the life of the process, standby or not: restarting the task, with
/// the clock right, is the operator's word that it is.
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

    /// <summary>Check gives null, or one sentence that says which clocks disagree.</summary>
    /// <param name="databaseClock">The database's clock now.</param>
    /// <param name="wall">The wall clock that was checked: what a record may say, where a second look could find another one.</param>
    public string? Check(DateTimeOffset databaseClock, out DateTimeOffset wall)
    {
        wall = _time.GetUtcNow();
        TimeSpan drift = wall - _startWall - _time.GetElapsedTime(_startTimestamp);
        if (drift.Duration() > _limit)
        {
            return string.Create(
                CultureInfo.InvariantCulture,
                $"The wall clock moved {drift.TotalSeconds:F1} s against the monotonic clock: nothing is published until it is back. If it is right now, restart the update-task.");
        }
        TimeSpan difference = wall - databaseClock;
        return difference.Duration() > _limit
            ? string.Create(
                CultureInfo.InvariantCulture,
                $"This machine's clock differs by {difference.TotalSeconds:F1} s from the database's: nothing is published until they agree.")
            : null;
    }
}
