namespace Optiks.Storage;

/// <summary>The requests of one caller, which are accepted or refused together.</summary>
/// <param name="Requests">The requests in the caller's order; no id occurs twice.</param>
public sealed record AcceptUnit(IReadOnlyList<AcceptRequest> Requests);
