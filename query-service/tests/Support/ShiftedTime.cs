namespace Optiks.QueryService.Tests;

/// <summary>Provides a clock that is ahead of the system's clock by a time that a test sets.</summary>
internal sealed class ShiftedTime : TimeProvider
{
    public TimeSpan Ahead { get; set; }

    public override DateTimeOffset GetUtcNow() => System.GetUtcNow() + Ahead;
}
