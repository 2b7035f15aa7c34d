namespace Optiks.Client.Tests;

/// <summary>Shows the time that a test sets; timers and durations are the system's.</summary>
internal sealed class SetClock : TimeProvider
{
    public DateTimeOffset UtcNow { get; set; }

    public override DateTimeOffset GetUtcNow() => UtcNow;
}
