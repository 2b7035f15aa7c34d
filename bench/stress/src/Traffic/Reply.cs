namespace Optiks.Stress.Traffic;

/// <summary>Holds the reply to a request.</summary>
/// <param name="Status">The HTTP status; 0 if no complete answer came, so that the outcome of the request is unknown.</param>
/// <param name="Body">The body of the answer.</param>
/// <param name="Error">The name of the problem; null if the status is 2xx.</param>
internal readonly record struct Reply(int Status, byte[] Body, string? Error);
