namespace Optiks.Tlog;

/// <summary>Reads the hashes of complete subtrees of one tree. The documentation of each implementation says what it verifies.</summary>
public interface IHashReader
{
    /// <summary>Returns the hashes of nodes, in the order of <paramref name="nodes"/>. Throws if the tree does not have one of the
    /// nodes.</summary>
    ValueTask<IReadOnlyList<TreeHash>> ReadHashesAsync(IReadOnlyList<TreeNode> nodes, CancellationToken cancellationToken);
}
