namespace Optiks.Tlog;

/// <summary>Reads the hashes of complete subtrees of one tree. The documentation of each implementation says what it verifies.</summary>
public interface IHashReader
{
    /// <summary>Returns the hashes of nodes, in the order of the request. Throws for a node that the tree does not have.</summary>
    ValueTask<IReadOnlyList<TreeHash>> ReadHashesAsync(IReadOnlyList<TreeNode> nodes, CancellationToken cancellationToken);
}
