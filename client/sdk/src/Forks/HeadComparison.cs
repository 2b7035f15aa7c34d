using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// The result of comparing a checkpoint with the kept head's checkpoint (docs/spec/answers.md section 7). The comparison uses only data
/// that the log signed: tiles that hash to the root of the larger checkpoint show what its tree contains.
/// </summary>
/// <param name="Relation">How the checkpoints relate.</param>
/// <param name="Prefix">If the checkpoints contradict each other and differ in size, the proof that the larger tree does not begin with the
/// smaller tree; otherwise null.</param>
internal sealed record HeadComparison(HeadRelation Relation, PrefixProof? Prefix)
{
    /// <summary>Whether the contradicting checkpoint is smaller than the kept checkpoint.</summary>
    public bool IsSmaller { get; private init; }

    /// <summary>
    /// Compares a checkpoint with the kept head. Either of the two may be larger. If the kept checkpoint is larger, the call reads its tree
    /// from the first board that has this tree, because a server with another history does not have the kept tree. The call throws only
    /// failures of the first board, and only if the checkpoint is not smaller than the kept one.
    /// </summary>
    /// <param name="kept">The kept head.</param>
    /// <param name="received">The checkpoint.</param>
    /// <param name="boards">The boards of all servers, with the board of the checkpoint's server first.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    public static async Task<HeadComparison> RunAsync(
        HeadState kept, VerifiedNote received, IReadOnlyList<BoardReader> boards, CancellationToken cancellationToken)
    {
        if (received.Size >= kept.Size)
        {
            return await RunAsync(kept.Size, kept.Root, received,
                new HashReader(boards[0], received.Size, TreeHash.FromBytes(received.Root)), cancellationToken).ConfigureAwait(false);
        }
        var own = new VerifiedNote(kept.Size, kept.Root, kept.Checkpoint);
        foreach (BoardReader board in received.Size == 0 ? [] : boards)
        {
            try
            {
                HeadComparison comparison = await RunAsync(
                    received.Size, received.Root, own, new HashReader(board, own.Size, TreeHash.FromBytes(own.Root)), cancellationToken)
                    .ConfigureAwait(false);
                return comparison.Relation == HeadRelation.Contradicts
                    ? comparison with { IsSmaller = true }
                    : new HeadComparison(HeadRelation.Smaller, null);
            }
            catch (Exception e) when (e is InvalidTileException or OptiksServerException)
            {
                // This board does not have the tree or did not answer, so try the next board.
            }
        }
        return new HeadComparison(HeadRelation.Smaller, null);
    }

    /// <summary>
    /// Compares a checkpoint with the size and root of a kept checkpoint. It reads at most the hash tiles of the new tree's right edge and
    /// of both sides of the kept size: some dozens of tiles of 8 KiB. Throws <see cref="InvalidTileException"/> when the tiles do not make
    /// up the signed tree.
    /// </summary>
    public static async Task<HeadComparison> RunAsync(
        ulong keptSize, ReadOnlyMemory<byte> keptRoot, VerifiedNote received, HashReader board, CancellationToken cancellationToken)
    {
        if (received.Size < keptSize)
        {
            return new HeadComparison(HeadRelation.Smaller, null);
        }
        if (received.Size == keptSize)
        {
            return new HeadComparison(
                received.Root.AsSpan().SequenceEqual(keptRoot.Span) ? HeadRelation.Agrees : HeadRelation.Contradicts, null);
        }
        TreeHash root = await ConsistencyProof.OldRootAsync(board, keptSize, cancellationToken).ConfigureAwait(false);
        if (root.AsSpan().SequenceEqual(keptRoot.Span))
        {
            return new HeadComparison(HeadRelation.Agrees, null);
        }
        IReadOnlyList<TreeHash> proof =
            await ConsistencyProof.MakeAsync(board, keptSize, received.Size, cancellationToken).ConfigureAwait(false);
        return new HeadComparison(HeadRelation.Contradicts, new PrefixProof(keptSize, root, proof));
    }
}
