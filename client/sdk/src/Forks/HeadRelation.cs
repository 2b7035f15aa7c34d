namespace Optiks.Client;

/// <summary>How a checkpoint relates to that of the kept head.</summary>
internal enum HeadRelation
{
    /// <summary>The checkpoint's tree is the kept one, or extends it.</summary>
    Agrees,

    /// <summary>The checkpoint's tree is smaller, and nothing more is known about it.</summary>
    Smaller,

    /// <summary>The checkpoint belongs to another history than the kept one, and the log signed both.</summary>
    Contradicts,
}
