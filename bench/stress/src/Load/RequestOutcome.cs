namespace Optiks.Stress.Load;

/// <summary>The outcome of one request.</summary>
/// <param name="Error">Null when the answer was as it should be; otherwise a short name, such as "overloaded" or "timeout".</param>
/// <param name="Items">Updates accepted or keys answered.</param>
/// <param name="Octets">Octets of the answer's body.</param>
internal readonly record struct RequestOutcome(string? Error, int Items, int Octets);
