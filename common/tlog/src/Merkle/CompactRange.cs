namespace Optiks.Tlog;

/// <summary>
/// Computes a tree's root entry by entry in logarithmic memory. The class keeps the roots of the complete subtrees that correspond to the
/// binary digits of the size, the largest subtree first. Not thread-safe.
/// </summary>
public sealed class CompactRange
{
    private readonly List<TreeHash> _peaks = [];

    /// <summary>The number of appended leaves.</summary>
    public ulong Size { get; private set; }

    /// <summary>
    /// The roots of the complete subtrees, largest first. In reverse order, they are the inclusion proof of the next leaf in the tree that
    /// ends with that leaf.
    /// </summary>
    public IReadOnlyList<TreeHash> Peaks => _peaks;

    /// <summary>Appends the next leaf.</summary>
    public void Append(TreeHash leafHash)
    {
        TreeHash hash = leafHash;
        for (ulong digits = Size; (digits & 1) == 1; digits >>= 1)
        {
            hash = Rfc6962.NodeHash(_peaks[^1], hash);
            _peaks.RemoveAt(_peaks.Count - 1);
        }
        _peaks.Add(hash);
        Size++;
    }

    /// <summary>Returns the root of the leaves so far.</summary>
    public TreeHash Root() => FoldPeaks(_peaks.ToArray());

    /// <summary>Hashes the roots of neighbouring complete subtrees, largest first, into the root above them.</summary>
    internal static TreeHash FoldPeaks(ReadOnlySpan<TreeHash> peaks)
    {
        if (peaks.IsEmpty)
        {
            return Rfc6962.EmptyRoot;
        }
        TreeHash root = peaks[^1];
        for (int i = peaks.Length - 2; i >= 0; i--)
        {
            root = Rfc6962.NodeHash(peaks[i], root);
        }
        return root;
    }
}
