namespace Optiks.Client;

/// <summary>Contradiction is what a server answered against the kept head.</summary>
/// <param name="Note">Signed checkpoint that contradicts the kept one; empty when both views are of the kept checkpoint.</param>
/// <param name="Prefix">Of checkpoints of two sizes, the proof that the larger one does not extend the smaller one; otherwise null.</param>
/// <param name="Record">Record that came with it; empty: none.</param>
/// <param name="Answer">Whole answer that gave rise to the comparison; empty: none.</param>
internal sealed record Contradiction(ReadOnlyMemory<byte> Note, PrefixProof? Prefix, ReadOnlyMemory<byte> Record, ReadOnlyMemory<byte> Answer)
{
    /// <summary>IsSmaller: the kept checkpoint is the larger one, and the proof is that it does not extend this one.</summary>
    public bool IsSmaller { get; init; }
}
