namespace Optiks.Stress.Traffic;

/// <summary>The reply to a request.</summary>
/// <param name="Status">HTTP status; 0 if no whole answer came, so that the outcome of the request is unknown.</param>
/// <param name="Body">Body of the answer.</param>
/// <param name="Error">Null for a 2xx status, otherwise the name of the problem.</param>
internal readonly record struct Reply(int Status, byte[] Body, string? Error);
