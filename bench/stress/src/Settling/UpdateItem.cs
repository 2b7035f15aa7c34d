namespace Optiks.Stress.Settling;

/// <summary>One update that was sent.</summary>
/// <param name="RequestId">A UUIDv7.</param>
/// <param name="Key">Key as text.</param>
internal readonly record struct UpdateItem(Guid RequestId, string Key);
