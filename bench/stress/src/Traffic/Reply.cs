namespace Optiks.Stress.Traffic;

/// <summary>The reply to a request.</summary>
/// <param name="Status">HTTP status; 0 if no whole answer came, so that it is unknown what the server did.</param>
/// <param name="Body">Body of the answer.</param>
/// <param name="Error">Null for 2xx, otherwise the problem's name.</param>
internal readonly record struct Reply(int Status, byte[] Body, string? Error);
