namespace Optiks.Stress.Traffic;

/// <summary>Reply to a request.</summary>
/// <param name="Status">HTTP status; 0: there was no whole answer, and it is not known what the server did.</param>
/// <param name="Body">Body of the answer.</param>
/// <param name="Error">Null for 2xx, otherwise the problem's name.</param>
internal readonly record struct Reply(int Status, byte[] Body, string? Error);
