namespace Optiks.Client;

/// <summary>A server's answer that contradicts the kept head.</summary>
/// <param name="Note">
/// Signed checkpoint that contradicts the kept checkpoint; empty when the server's answer has the same checkpoint as the kept head.
/// </param>
/// <param name="Prefix">If the two checkpoints have different sizes, the proof that the larger checkpoint does not extend the smaller
/// checkpoint; otherwise null.</param>
/// <param name="Record">The server's record that came with the checkpoint; empty if no record came.</param>
/// <param name="Answer">The whole answer that made the client compare the two checkpoints; empty if no answer did.</param>
internal sealed record Contradiction(
    ReadOnlyMemory<byte> Note, PrefixProof? Prefix, ReadOnlyMemory<byte> Record, ReadOnlyMemory<byte> Answer)
{
    /// <summary>
    /// Whether the kept checkpoint is the larger one. If so, the proof shows that the kept checkpoint does not extend the server's
    /// checkpoint.
    /// </summary>
    public bool IsSmaller { get; init; }
}
