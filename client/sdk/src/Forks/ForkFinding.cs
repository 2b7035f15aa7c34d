namespace Optiks.Client;

/// <summary>The result of a search for a fork: a contradiction, or the reason why there is no proof of one.</summary>
internal sealed record ForkFinding(Contradiction? Contradiction, string Detail);
