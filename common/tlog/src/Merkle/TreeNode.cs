namespace Optiks.Tlog;

/// <summary>Names a complete subtree, which has the 2^Level leaves from leaf Index * 2^Level on.</summary>
/// <param name="Level">The height of the subtree's root above the leaves, 0 to 63.</param>
/// <param name="Index">The index of the subtree among all complete subtrees of that height.</param>
public readonly record struct TreeNode(int Level, ulong Index);
