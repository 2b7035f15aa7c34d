namespace Optiks.Client;

/// <summary>A server's answer that contradicts the kept head.</summary>
/// <param name="Note">Signed checkpoint that contradicts the kept checkpoint; empty when both views have the kept checkpoint.</param>
/// <param name="Prefix">If the two checkpoints have different sizes, the proof that the larger checkpoint does not extend the smaller
/// checkpoint; otherwise null.</param>
/// <param name="Record">Record that came with the checkpoint; empty if there was no record.</param>
/// <param name="Answer">The whole answer that caused the comparison; empty if no answer caused it.</param>
internal sealed record Contradiction(ReadOnlyMemory<byte> Note, PrefixProof? Prefix, ReadOnlyMemory<byte> Record, ReadOnlyMemory<byte> Answer)
{
    /// <summary>
    /// Whether the kept checkpoint is the larger checkpoint, so that the proof shows that it does not extend the server's checkpoint.
    /// </summary>
    public bool IsSmaller { get; init; }
}
