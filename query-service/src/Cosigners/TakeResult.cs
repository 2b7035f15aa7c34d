namespace Optiks.QueryService.Cosigners;

/// <summary>The result of taking a cosigned checkpoint.</summary>
internal enum TakeResult
{
    /// <summary>The answer now contains the checkpoint.</summary>
    New,

    /// <summary>The answer already contains a checkpoint of the same cosigner that is at least as new.</summary>
    Known,

    /// <summary>The checkpoint is larger than the log that is served here.</summary>
    Ahead,

    /// <summary>The log signed the checkpoint, and it does not belong to the log that is served here.</summary>
    Contradicts,
}
