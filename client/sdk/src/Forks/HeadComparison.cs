using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// HeadComparison compares a checkpoint with the one of the kept head (docs/spec/answers.md section 7). Only what the log signed decides: a larger checkpoint by tiles that hash to its root.
/// </summary>
/// <param name="Relation">How the checkpoints relate.</param>
/// <param name="Prefix">What a larger checkpoint that contradicts has instead of the kept tree; null otherwise.</param>
internal sealed record HeadComparison(HeadRelation Relation, PrefixProof? Prefix)
{
    /// <summary>IsSmaller: the checkpoint contradicts as the smaller one.</summary>
    public bool IsSmaller { get; private init; }

    /// <summary>
    /// RunAsync compares a checkpoint with the kept head, whichever is larger. The tree of a larger kept one is read from the first of several boards that makes it up: a server of another history does not. Failures of the
    /// first board alone are thrown, and only for a checkpoint that is not smaller.
    /// </summary>
    /// <param name="kept">The kept head.</param>
    /// <param name="received">The checkpoint.</param>
    /// <param name="boards">Boards, that of the checkpoint's server first.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    public static async Task<HeadComparison> RunAsync(HeadState kept, VerifiedNote received, IReadOnlyList<BoardReader> boards, CancellationToken cancellationToken)
    {
        if (received.Size >= kept.Size)
        {
            return await RunAsync(kept.Size, kept.Root, received, new HashReader(boards[0], received.Size, TreeHash.FromBytes(received.Root)), cancellationToken).ConfigureAwait(false);
        }
        var own = new VerifiedNote(kept.Size, kept.Root, kept.Checkpoint);
        foreach (BoardReader board in received.Size == 0 ? [] : boards)
        {
            try
            {
                HeadComparison comparison = await RunAsync(
                    received.Size, received.Root, own, new HashReader(board, own.Size, TreeHash.FromBytes(own.Root)), cancellationToken).ConfigureAwait(false);
                return comparison.Relation == HeadRelation.Contradicts ? comparison with { IsSmaller = true } : new HeadComparison(HeadRelation.Smaller, null);
            }
            catch (Exception e) when (e is InvalidTileException or OptiksServerException)
            {
                // Another board may have the tree.
            }
        }
        return new HeadComparison(HeadRelation.Smaller, null);
    }

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
