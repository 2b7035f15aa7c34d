namespace Optiks.Stress.Load;

/// <summary>The outcome of one request.</summary>
/// <param name="Error">Null when the answer was correct; otherwise a short name of the error, such as "overloaded" or "timeout".</param>
/// <param name="Items">Number of updates that were accepted or of keys that were answered.</param>
/// <param name="Octets">Number of octets of the answer's body.</param>
internal readonly record struct RequestOutcome(string? Error, int Items, int Octets);
