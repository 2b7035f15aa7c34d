namespace Optiks.Tlog;

/// <summary>Makes and verifies RFC 6962 proofs that a tree extends a smaller tree. Any thread may use this class.</summary>
public static class ConsistencyProof
{
    /// <summary>
    /// Makes the proof between two sizes of the reader's tree. The proof is empty if the older size is 0 or if both sizes are equal.
    /// </summary>
    public static async ValueTask<IReadOnlyList<TreeHash>> MakeAsync(
        IHashReader reader, ulong oldSize, ulong newSize, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(reader);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(oldSize, newSize);
        if (oldSize == 0 || oldSize == newSize)
        {
            return [];
        }

        // Walks down to the node that ends where the old tree ends. If every step went left, that node is the root of the old tree. The
        // verifier knows this root, so the proof omits it.
        var ranges = new List<SubtreeRange>();
        var node = new SubtreeRange(0, newSize);
        while (node.End != oldSize)
        {
            var left = new SubtreeRange(node.Start, node.Split);
            var right = new SubtreeRange(node.Split, node.End);
            (node, SubtreeRange sibling) = oldSize <= node.Split ? (left, right) : (right, left);
            ranges.Add(sibling);
        }
        if (node.Start != 0)
        {
            ranges.Add(node);
        }
        ranges.Reverse();
        return await SubtreeRange.ReadAsync(reader, ranges, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Returns the root of the tree of the first <paramref name="oldSize"/> entries of the reader's tree;
    /// <paramref name="oldSize"/> is at least 1.</summary>
    public static async ValueTask<TreeHash> OldRootAsync(IHashReader reader, ulong oldSize, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(reader);
        ArgumentOutOfRangeException.ThrowIfZero(oldSize);
        return (await SubtreeRange.ReadAsync(reader, [new SubtreeRange(0, oldSize)], cancellationToken).ConfigureAwait(false))[0];
    }

    /// <summary>
    /// Verifies a proof (RFC 9162 section 2.1.4.2). For an empty old tree, the proof must be empty and the old root must be SHA-256(""), as
    /// in C2SP tlog-witness.
    /// </summary>
    public static TlogError Verify(ulong oldSize, TreeHash oldRoot, ulong newSize, TreeHash newRoot, IReadOnlyList<TreeHash> proof)
    {
        ArgumentNullException.ThrowIfNull(proof);
        if (oldSize > newSize)
        {
            return TlogError.SizeOrder;
        }
        if (oldSize == 0 || oldSize == newSize)
        {
            if (proof.Count != 0)
            {
                return TlogError.ProofLength;
            }
            TreeHash expected = oldSize == 0 ? Rfc6962.EmptyRoot : newRoot;
            bool emptyAndWrong = newSize == 0 && newRoot != Rfc6962.EmptyRoot;
            return oldRoot == expected && !emptyAndWrong ? TlogError.None : TlogError.RootMismatch;
        }
        return VerifyExtension(oldSize, oldRoot, newSize, newRoot, proof);
    }

    // Callers have checked that 0 < `oldSize` < `newSize`.
    private static TlogError VerifyExtension(
        ulong oldSize, TreeHash oldRoot, ulong newSize, TreeHash newRoot, IReadOnlyList<TreeHash> proof)
    {
        // If the old tree is one complete subtree, its root is the first node of the computation, and the proof does not contain it.
        int next = ulong.IsPow2(oldSize) ? 0 : 1;
        if (proof.Count < next)
        {
            return TlogError.ProofLength;
        }
        TreeHash oldHash = next == 0 ? oldRoot : proof[0];
        TreeHash newHash = oldHash;
        ulong position = oldSize - 1;
        ulong last = newSize - 1;
        while ((position & 1) == 1)
        {
            position >>= 1;
            last >>= 1;
        }
        for (; next < proof.Count; next++)
        {
            if (last == 0)
            {
                return TlogError.ProofLength;
            }
            if ((position & 1) == 1 || position == last)
            {
                oldHash = Rfc6962.NodeHash(proof[next], oldHash);
                newHash = Rfc6962.NodeHash(proof[next], newHash);
                while ((position & 1) == 0 && position != 0)
                {
                    position >>= 1;
                    last >>= 1;
                }
            }
            else
            {
                newHash = Rfc6962.NodeHash(newHash, proof[next]);
            }
            position >>= 1;
            last >>= 1;
        }
        if (last != 0)
        {
            return TlogError.ProofLength;
        }
        return oldHash == oldRoot && newHash == newRoot ? TlogError.None : TlogError.RootMismatch;
    }
}
