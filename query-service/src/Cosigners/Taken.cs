namespace Optiks.QueryService.Cosigners;

/// <summary>What became of a cosigned checkpoint.</summary>
internal enum Taken
{
    /// <summary>It is handed out now.</summary>
    New,

    /// <summary>The one that is handed out is as new.</summary>
    Known,

    /// <summary>It is larger than the log that is served here.</summary>
    Ahead,

    /// <summary>The log signed it, and it is not of the log that is served here.</summary>
    Contradicts,
}
