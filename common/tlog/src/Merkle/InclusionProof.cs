namespace Optiks.Tlog;

/// <summary>
/// Makes and verifies RFC 6962 inclusion proofs (audit paths). A proof begins with the leaf's sibling and ends with a child of the root.
/// Any thread may use this class.
/// </summary>
public static class InclusionProof
{
    /// <summary>Makes the proof for the leaf with the given index, in the reader's tree of the given size.</summary>
    public static ValueTask<IReadOnlyList<TreeHash>> MakeAsync(
        IHashReader reader, ulong index, ulong size, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(reader);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(index, size);
        var siblings = new List<SubtreeRange>();
        var node = new SubtreeRange(0, size);
        while (node.End - node.Start > 1)
        {
            var left = new SubtreeRange(node.Start, node.Split);
            var right = new SubtreeRange(node.Split, node.End);
            (node, SubtreeRange sibling) = index < node.Split ? (left, right) : (right, left);
            siblings.Add(sibling);
        }
        siblings.Reverse();
        return SubtreeRange.ReadAsync(reader, siblings, cancellationToken);
    }

    /// <summary>
    /// Verifies a proof (RFC 9162 section 2.1.3.2). The caller must take size and root from one verified checkpoint, and must compute the
    /// leaf hash from the entry. If size, root or leaf hash comes from the prover, a valid proof proves nothing.
    /// </summary>
    public static TlogError Verify(TreeHash leafHash, ulong index, ulong size, TreeHash root, IReadOnlyList<TreeHash> proof)
    {
        ArgumentNullException.ThrowIfNull(proof);
        if (index >= size)
        {
            return TlogError.IndexOutOfRange;
        }
        ulong position = index;
        ulong last = size - 1;
        TreeHash hash = leafHash;
        foreach (TreeHash sibling in proof)
        {
            if (last == 0)
            {
                return TlogError.ProofLength;
            }
            if ((position & 1) == 1 || position == last)
            {
                hash = Rfc6962.NodeHash(sibling, hash);
                while ((position & 1) == 0 && position != 0)
                {
                    position >>= 1;
                    last >>= 1;
                }
            }
            else
            {
                hash = Rfc6962.NodeHash(hash, sibling);
            }
            position >>= 1;
            last >>= 1;
        }
        if (last != 0)
        {
            return TlogError.ProofLength;
        }
        return hash == root ? TlogError.None : TlogError.RootMismatch;
    }
}
