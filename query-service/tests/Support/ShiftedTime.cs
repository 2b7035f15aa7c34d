namespace Optiks.QueryService.Tests;

/// <summary>The system's clock, ahead by what a test says.</summary>
internal sealed class ShiftedTime : TimeProvider
{
    public TimeSpan Ahead { get; set; }

    public override DateTimeOffset GetUtcNow() => System.GetUtcNow() + Ahead;
}
