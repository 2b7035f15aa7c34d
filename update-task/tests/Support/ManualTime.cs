using System.Diagnostics;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>
/// Provides a monotonic clock and a wall clock that move only when a test moves them. A test can also make only the wall clock jump. Timers
/// of this class never fire.
/// </summary>
internal sealed class ManualTime : TimeProvider
{
    private DateTimeOffset _wall = System.GetUtcNow();
    private long _ticks;
    private (string Reader, TimeSpan By)? _jump;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override DateTimeOffset GetUtcNow()
    {
        DateTimeOffset now = _wall;
        if (_jump is { } jump && new StackTrace().GetFrames().Any(frame => frame.GetMethod()?.DeclaringType?.Name == jump.Reader))
        {
            _jump = null;
            _wall += jump.By;
        }
        return now;
    }

    public override long GetTimestamp() => _ticks;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        System.CreateTimer(callback, state, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

    public void Advance(TimeSpan by)
    {
        _wall += by;
        _ticks += by.Ticks;
    }

    /// <summary>
    /// Makes the wall clock jump right after the code of the type with the name in <paramref name="type"/> has read the clock.
    /// </summary>
    public void JumpAfterReadBy(string type, TimeSpan by) => _jump = (type, by);

    public void JumpWallClock(TimeSpan by) => _wall += by;
}
