namespace Optiks.Stress.Traffic;

/// <summary>A request whose answer begins with a head (docs/spec/board.md section 4).</summary>
/// <param name="Path">Path and query of the URL, without the checkpoint's size.</param>
/// <param name="Accept">Media type of the answer.</param>
/// <param name="Body">Body with a binary query; null for a GET.</param>
/// <param name="Authorize">Whether to send the API key.</param>
internal readonly record struct Question(string Path, string Accept, ReadOnlyMemory<byte>? Body = null, bool Authorize = false);
