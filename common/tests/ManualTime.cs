namespace Optiks.Common.Tests;

/// <summary>Provides a clock that moves only when a test moves it.</summary>
internal sealed class ManualTime : TimeProvider
{
    private TimeSpan _elapsed;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public void Advance(TimeSpan time) => _elapsed += time;

    public override long GetTimestamp() => _elapsed.Ticks;
}
