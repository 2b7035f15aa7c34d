namespace Optiks.Client;

/// <summary>ForkFinding is what a search for a fork gave: a contradiction, or why there is none to show.</summary>
internal sealed record ForkFinding(Contradiction? Contradiction, string Detail);
