namespace Optiks.Tlog;

/// <summary>IHashReader gives the hashes of complete subtrees of one tree. Implementations say what they verify.</summary>
public interface IHashReader
{
    /// <summary>
    /// ReadHashesAsync returns the hashes of nodes, in the order asked for. Throws for a node that the tree does not hold.
    /// </summary>
    ValueTask<IReadOnlyList<TreeHash>> ReadHashesAsync(IReadOnlyList<TreeNode> nodes, CancellationToken cancellationToken);
}
