namespace Optiks.Tlog;

/// <summary>
/// CompactRange computes a tree's root entry by entry in logarithmic memory: it keeps the roots of the complete subtrees that the
/// binary digits of the size stand for, largest first. Not thread-safe.
/// </summary>
public sealed class CompactRange
{
    private readonly List<TreeHash> _peaks = [];

    /// <summary>Size is the number of leaves appended.</summary>
    public ulong Size { get; private set; }

    /// <summary>Peaks are the roots of the complete subtrees, largest first: in reverse, the inclusion proof of the next leaf in the tree that it completes.</summary>
    public IReadOnlyList<TreeHash> Peaks => _peaks;

    /// <summary>Append adds the next leaf.</summary>
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

    /// <summary>Root of the leaves so far.</summary>
    public TreeHash Root() => FoldPeaks(_peaks.ToArray());

    /// <summary>FoldPeaks hashes the roots of neighbouring complete subtrees, largest first, into the root above them.</summary>
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
