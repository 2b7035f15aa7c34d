namespace Optiks.QueryService.Tests;

/// <summary>Provides a time that runs faster than the system's clock: its timers fire earlier, and its timestamps advance correspondingly
/// faster.</summary>
internal sealed class HastyTime : TimeProvider
{
    private const int Haste = 5;

    public override long GetTimestamp() => System.GetTimestamp() * Haste;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        new HastyTimer(System.CreateTimer(callback, state, Shorten(dueTime), Shorten(period)));

    private static TimeSpan Shorten(TimeSpan time) => time > TimeSpan.Zero ? time / Haste : time;

    private sealed class HastyTimer(ITimer timer) : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period) => timer.Change(Shorten(dueTime), Shorten(period));

        public void Dispose() => timer.Dispose();

        public ValueTask DisposeAsync() => timer.DisposeAsync();
    }
}
