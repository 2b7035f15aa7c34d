namespace Optiks.UpdateService.Tests.Support;

/// <summary>Makes request ids.</summary>
internal static class Ids
{
    /// <summary>Makes an id of the current time, moved by an offset.</summary>
    public static Guid New(TimeSpan moved = default) => Guid.CreateVersion7(TimeProvider.System.GetUtcNow() + moved);
}
