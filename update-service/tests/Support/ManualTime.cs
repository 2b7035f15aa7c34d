namespace Optiks.UpdateService.Tests.Support;

/// <summary>Provides a stopwatch that a test moves; the time of day and timers are the machine's.</summary>
internal sealed class ManualTime : TimeProvider
{
    private long _elapsed;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public void Advance(TimeSpan time) => Interlocked.Add(ref _elapsed, time.Ticks);

    public override long GetTimestamp() => Interlocked.Read(ref _elapsed);
}
