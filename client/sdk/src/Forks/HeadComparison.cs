using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// HeadComparison compares a checkpoint with the one of the kept head (docs/spec/answers.md section 7). Only what the log signed decides: a larger checkpoint by tiles that hash to its root.
/// </summary>
/// <param name="Relation">How the checkpoints relate.</param>
/// <param name="Prefix">What a larger checkpoint that contradicts has instead of the kept tree; null otherwise.</param>
internal sealed record HeadComparison(HeadRelation Relation, PrefixProof? Prefix)
{
    /// <summary>
    /// RunAsync compares a checkpoint with a kept one's size and root. It reads at most the hash tiles of the new tree's right edge and of the two sides of the kept size: some dozens, of 8 KiB. Throws <see cref="InvalidTileException"/> when they do not make up the signed tree.
    /// </summary>
    public static async Task<HeadComparison> RunAsync(ulong keptSize, ReadOnlyMemory<byte> keptRoot, VerifiedNote received, HashReader board, CancellationToken cancellationToken)
    {
        if (received.Size < keptSize)
        {
            return new HeadComparison(HeadRelation.Smaller, null);
        }
        if (received.Size == keptSize)
        {
            return new HeadComparison(received.Root.AsSpan().SequenceEqual(keptRoot.Span) ? HeadRelation.Agrees : HeadRelation.Contradicts, null);
        }
        TreeHash root = await ConsistencyProof.OldRootAsync(board, keptSize, cancellationToken).ConfigureAwait(false);
        if (root.AsSpan().SequenceEqual(keptRoot.Span))
        {
            return new HeadComparison(HeadRelation.Agrees, null);
        }
        IReadOnlyList<TreeHash> proof = await ConsistencyProof.MakeAsync(board, keptSize, received.Size, cancellationToken).ConfigureAwait(false);
        return new HeadComparison(HeadRelation.Contradicts, new PrefixProof(keptSize, root, proof));
    }
}
