namespace Optiks.Tlog;

/// <summary>
/// Computes the root of a tree to which leaves are appended one by one, in memory that grows with the logarithm of the size. The object
/// keeps one root of a complete subtree for each binary digit 1 of the size, the largest subtree first. Only one thread at a time may use
/// it.
/// </summary>
public sealed class CompactRange
{
    private readonly List<TreeHash> _peaks = [];

    /// <summary>The number of appended leaves.</summary>
    public ulong Size { get; private set; }

    /// <summary>
    /// The roots of the complete subtrees, the largest subtree first. In reverse order, they are the inclusion proof of the next leaf, in
    /// the tree whose last leaf it will be.
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

    /// <summary>Returns the root of the tree of all leaves appended so far.</summary>
    public TreeHash Root() => FoldPeaks(_peaks.ToArray());

    /// <summary>Returns the root of a tree from the roots of the neighbouring complete subtrees that form it, the largest subtree
    /// first.</summary>
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
