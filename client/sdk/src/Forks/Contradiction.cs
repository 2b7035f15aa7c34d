namespace Optiks.Client;

/// <summary>A server's answer that contradicts the kept head.</summary>
/// <param name="Note">Signed checkpoint that contradicts the kept one; empty when both views have the kept checkpoint.</param>
/// <param name="Prefix">If the two checkpoints have different sizes, the proof that the larger one does not extend the smaller one;
/// otherwise null.</param>
/// <param name="Record">Record that came with it; empty if there was no record.</param>
/// <param name="Answer">Whole answer that caused the comparison; empty if there was no answer.</param>
internal sealed record Contradiction(ReadOnlyMemory<byte> Note, PrefixProof? Prefix, ReadOnlyMemory<byte> Record, ReadOnlyMemory<byte> Answer)
{
    /// <summary>Whether the kept checkpoint is the larger one, so that the proof shows that it does not extend the server's.</summary>
    public bool IsSmaller { get; init; }
}
