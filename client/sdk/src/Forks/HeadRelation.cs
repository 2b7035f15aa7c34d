namespace Optiks.Client;

/// <summary>How a checkpoint relates to the kept head's checkpoint.</summary>
internal enum HeadRelation
{
    /// <summary>The checkpoint's tree is the kept tree, or extends the kept tree.</summary>
    Agrees,

    /// <summary>
    /// The checkpoint's tree is smaller than the kept tree. The client does not know whether the kept tree extends the checkpoint's tree.
    /// </summary>
    Smaller,

    /// <summary>The checkpoint belongs to another history than the kept checkpoint, and the log signed both checkpoints.</summary>
    Contradicts,
}
