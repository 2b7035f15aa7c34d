namespace Optiks.Client.Tests;

/// <summary>Returns the time that a test sets. Timers and durations use the system's clock.</summary>
internal sealed class SetClock : TimeProvider
{
    public DateTimeOffset UtcNow { get; set; }

    public override DateTimeOffset GetUtcNow() => UtcNow;
}
