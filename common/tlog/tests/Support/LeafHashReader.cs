namespace Optiks.Tlog.Tests;

/// <summary>Computes nodes from all leaf hashes by the recursion of RFC 6962. This is slow, but does not depend on tiles.</summary>
internal sealed class LeafHashReader : IHashReader
{
    private readonly TreeHash[] _leaves;

    public LeafHashReader(IEnumerable<byte[]> entries) => _leaves = [.. entries.Select(entry => Rfc6962.LeafHash(entry))];

    public ValueTask<IReadOnlyList<TreeHash>> ReadHashesAsync(IReadOnlyList<TreeNode> nodes, CancellationToken cancellationToken) =>
        ValueTask.FromResult<IReadOnlyList<TreeHash>>([.. nodes.Select(node => Node(node.Level, node.Index))]);

    private TreeHash Node(int level, ulong index) =>
        level == 0 ? _leaves[index] : Rfc6962.NodeHash(Node(level - 1, 2 * index), Node(level - 1, (2 * index) + 1));
}
