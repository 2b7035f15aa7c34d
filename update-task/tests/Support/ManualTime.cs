namespace Optiks.UpdateTask.Tests.Support;

/// <summary>ManualTime moves only when it is told to; the wall clock can also jump by itself. Its timers never fire.</summary>
internal sealed class ManualTime : TimeProvider
{
    private DateTimeOffset _wall = System.GetUtcNow();
    private long _ticks;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override DateTimeOffset GetUtcNow() => _wall;

    public override long GetTimestamp() => _ticks;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        System.CreateTimer(callback, state, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

    public void Advance(TimeSpan by)
    {
        _wall += by;
        _ticks += by.Ticks;
    }

    public void JumpWallClock(TimeSpan by) => _wall += by;
}
