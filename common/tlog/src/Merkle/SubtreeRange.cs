using System.Numerics;

namespace Optiks.Tlog;

/// <summary>
/// Holds the leaves [Start, End) of a node in some tree: one complete subtree, or the tree's right edge. Start is a multiple of the
/// smallest power of two that is not below End - Start, and End - Start is at least 1.
/// </summary>
internal readonly record struct SubtreeRange(ulong Start, ulong End)
{
    /// <summary>
    /// The first leaf of the right child. The left child has as many leaves as the largest power of two below the width (RFC 6962). The
    /// width must be at least 2.
    /// </summary>
    public ulong Split => Start + (1UL << BitOperations.Log2(End - Start - 1));

    /// <summary>Returns the complete subtrees that make up the range, largest first.</summary>
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

    /// <summary>Computes the hashes of ranges from the reader's nodes, with one read for all ranges.</summary>
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
