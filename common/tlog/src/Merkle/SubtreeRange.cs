using System.Numerics;

namespace Optiks.Tlog;

/// <summary>
/// Describes a node of a tree by its leaves, from index <c>Start</c> up to but not including <c>End</c>. The node is the root of a complete
/// subtree, or lies on the tree's right edge. <c>Start</c> is a multiple of the smallest power of two that is not below <c>End - Start</c>,
/// which is at least 1.
/// </summary>
internal readonly record struct SubtreeRange(ulong Start, ulong End)
{
    /// <summary>
    /// The index of the right child's first leaf. The number of the left child's leaves is the largest power of two below the node's number
    /// of leaves (RFC 6962), which must be at least 2.
    /// </summary>
    public ulong Split => Start + (1UL << BitOperations.Log2(End - Start - 1));

    /// <summary>Returns the complete subtrees that form this node, the largest subtree first.</summary>
    public IEnumerable<TreeNode> Peaks()
    {
        ulong start = Start;
        while (start < End)
        {
            int level = BitOperations.Log2(End - start);
            yield return new TreeNode(level, start >> level);
            start += 1UL << level;
        }
    }

    /// <summary>Returns the hashes of several of these nodes. Makes one call of the reader for all of them.</summary>
    public static async ValueTask<IReadOnlyList<TreeHash>> ReadAsync(
        IHashReader reader, IReadOnlyList<SubtreeRange> ranges, CancellationToken cancellationToken)
    {
        var nodes = new List<TreeNode>();
        foreach (SubtreeRange range in ranges)
        {
            nodes.AddRange(range.Peaks());
        }
        IReadOnlyList<TreeHash> hashes = await reader.ReadHashesAsync(nodes, cancellationToken).ConfigureAwait(false);

        var result = new TreeHash[ranges.Count];
        int next = 0;
        for (int i = 0; i < result.Length; i++)
        {
            int numPeaks = BitOperations.PopCount(ranges[i].End - ranges[i].Start);
            result[i] = CompactRange.FoldPeaks([.. hashes.Skip(next).Take(numPeaks)]);
            next += numPeaks;
        }
        return result;
    }
}
