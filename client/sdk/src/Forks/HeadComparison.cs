using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// Compares a checkpoint with the kept head's (docs/spec/answers.md section 7). Only what the log signed decides: tiles that hash to its
/// root show what a larger checkpoint contains.
/// </summary>
/// <param name="Relation">How the checkpoints relate.</param>
/// <param name="Prefix">For a larger checkpoint that contradicts, the proof of what it has instead of the kept tree; otherwise
/// null.</param>
internal sealed record HeadComparison(HeadRelation Relation, PrefixProof? Prefix)
{
    /// <summary>Whether the checkpoint that contradicts is smaller than the kept one.</summary>
    public bool IsSmaller { get; private init; }

    /// <summary>
    /// Compares a checkpoint with the kept head, whichever is larger. If the kept one is larger, its tree is read from the first of the
    /// boards that has it. A server of another history does not have it. Only failures of the first board are thrown, and only for a
    /// checkpoint that is not smaller.
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
    /// Compares a checkpoint with a kept one's size and root. It reads at most the hash tiles of the new tree's right edge and of both
    /// sides of the kept size. These are some dozens of tiles of 8 KiB. Throws <see cref="InvalidTileException"/> when they do not make up
    /// the signed tree.
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
