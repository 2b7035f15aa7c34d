namespace Optiks.Stress.Settling;

/// <summary>One update that was sent.</summary>
/// <param name="RequestId">Request id of the update, a UUIDv7.</param>
/// <param name="Key">Key of the update, as text.</param>
internal readonly record struct UpdateItem(Guid RequestId, string Key);
