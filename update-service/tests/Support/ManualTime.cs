namespace Optiks.UpdateService.Tests.Support;

/// <summary>Provides timestamps that a test moves forward. The time of day and the timers are those of the machine.</summary>
internal sealed class ManualTime : TimeProvider
{
    private long _elapsed;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public void Advance(TimeSpan time) => Interlocked.Add(ref _elapsed, time.Ticks);

    public override long GetTimestamp() => Interlocked.Read(ref _elapsed);
}
