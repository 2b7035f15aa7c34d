namespace Optiks.Client;

/// <summary>The result of a search for a fork: a contradiction, or the reason why the search found no proof of a fork.</summary>
internal sealed record ForkFinding(Contradiction? Contradiction, string Detail);
