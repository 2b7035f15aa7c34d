namespace Optiks.Stress.Settling;

/// <summary>Describes an update that was sent.</summary>
/// <param name="RequestId">The request id of the update, a UUIDv7.</param>
/// <param name="Key">The key of the update, as text.</param>
internal readonly record struct UpdateItem(Guid RequestId, string Key);
