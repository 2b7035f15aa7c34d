namespace Optiks.Stress.Traffic;

/// <summary>Question is a request whose answer begins with a head (docs/spec/board.md section 4).</summary>
/// <param name="Path">Path, and query save the checkpoint's size.</param>
/// <param name="Accept">Media type of the answer.</param>
/// <param name="Body">A binary query; null: GET.</param>
/// <param name="Authorize">With the API key.</param>
internal readonly record struct Question(string Path, string Accept, ReadOnlyMemory<byte>? Body = null, bool Authorize = false);
