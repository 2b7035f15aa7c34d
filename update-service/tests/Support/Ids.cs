namespace Optiks.UpdateService.Tests.Support;

/// <summary>Makes request ids.</summary>
internal static class Ids
{
    /// <summary>Makes a request id with the current time plus an offset.</summary>
    public static Guid New(TimeSpan moved = default) => Guid.CreateVersion7(TimeProvider.System.GetUtcNow() + moved);
}
