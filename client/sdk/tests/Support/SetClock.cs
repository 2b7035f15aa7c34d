namespace Optiks.Client.Tests;

/// <summary>A clock that shows the time that a test sets. Its timers and elapsed times still follow the system's clock.</summary>
internal sealed class SetClock : TimeProvider
{
    public DateTimeOffset UtcNow { get; set; }

    public override DateTimeOffset GetUtcNow() => UtcNow;
}
