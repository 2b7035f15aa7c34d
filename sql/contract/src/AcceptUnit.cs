namespace Optiks.Storage;

/// <summary>What one caller sent: its requests are accepted whole or not at all.</summary>
/// <param name="Requests">In the caller's order; no id twice.</param>
public sealed record AcceptUnit(IReadOnlyList<AcceptRequest> Requests);
