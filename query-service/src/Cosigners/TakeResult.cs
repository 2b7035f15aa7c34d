namespace Optiks.QueryService.Cosigners;

/// <summary>Says whether <see cref="CosignedCheckpoints"/> accepted a cosigned checkpoint.</summary>
internal enum TakeResult
{
    /// <summary>The checkpoint was accepted, and the answer now contains it.</summary>
    New,

    /// <summary>The answer already contains a checkpoint of the same cosigner that is at least as new.</summary>
    Known,

    /// <summary>The checkpoint is of a larger log than this replica serves.</summary>
    Ahead,

    /// <summary>The log signed the checkpoint, but it contradicts the log that this replica serves.</summary>
    Contradicts,
}
