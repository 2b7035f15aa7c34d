namespace Optiks.QueryService.Tests;

/// <summary>Runs ahead of the system's clock by the time that a test sets.</summary>
internal sealed class ShiftedTime : TimeProvider
{
    public TimeSpan Ahead { get; set; }

    public override DateTimeOffset GetUtcNow() => System.GetUtcNow() + Ahead;
}
