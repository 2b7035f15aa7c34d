namespace Optiks.Stress.Traffic;

/// <summary>Describes a request to a replica whose answer begins with a head (docs/spec/board.md section 4).</summary>
/// <param name="Path">The path and query of the URL, without the parameter for the kept checkpoint's size.</param>
/// <param name="Accept">The media type of the answer.</param>
/// <param name="Body">The body, which is a binary query; null for a GET request.</param>
/// <param name="Authorize">Whether to send the API key.</param>
internal readonly record struct Question(string Path, string Accept, ReadOnlyMemory<byte>? Body = null, bool Authorize = false);
