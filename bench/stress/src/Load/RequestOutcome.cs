namespace Optiks.Stress.Load;

/// <summary>Holds the outcome of one request.</summary>
/// <param name="Error">A short name of the error, such as "overloaded" or "timeout"; null if the answer was correct.</param>
/// <param name="Items">The number of updates that were accepted, or of keys that were answered.</param>
/// <param name="Octets">The number of octets of the answer's body.</param>
internal readonly record struct RequestOutcome(string? Error, int Items, int Octets);
