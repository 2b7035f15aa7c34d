namespace Optiks.Client;

/// <summary>HeadRelation of a checkpoint to that of the kept head.</summary>
internal enum HeadRelation
{
    /// <summary>The tree that was kept, or one that extends it.</summary>
    Agrees,

    /// <summary>A smaller tree, of which nothing more is known.</summary>
    Smaller,

    /// <summary>Not the history that was kept: the log signed both.</summary>
    Contradicts,
}
