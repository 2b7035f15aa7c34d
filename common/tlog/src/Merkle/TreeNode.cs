namespace Optiks.Tlog;

/// <summary>Names a complete subtree: the 2^Level leaves from Index * 2^Level on.</summary>
/// <param name="Level">The height above the leaves, 0 to 63.</param>
/// <param name="Index">The position among the complete subtrees of that height.</param>
public readonly record struct TreeNode(int Level, ulong Index);
