namespace Optiks.UpdateService.Tests.Support;

/// <summary>Ids makes request ids.</summary>
internal static class Ids
{
    /// <summary>New id of the present time, moved.</summary>
    public static Guid New(TimeSpan moved = default) => Guid.CreateVersion7(TimeProvider.System.GetUtcNow() + moved);
}
