namespace Optiks.UpdateTask.Witnesses;

/// <summary>Says how a witness treated a checkpoint. The names in lower case are the metric's attribute.</summary>
internal enum WitnessOutcome
{
    /// <summary>It cosigned, and the cosignature verifies.</summary>
    Cosigned,

    /// <summary>It could not be reached in time, or answered that it cannot work now.</summary>
    Unavailable,

    /// <summary>It refused: it does not know the log, or considers the checkpoint a fork.</summary>
    Refused,

    /// <summary>Its answer is unusable: no cosignature that verifies, or a size that does not help.</summary>
    Invalid,

    /// <summary>It says that it cosigned a larger checkpoint than this log has: the log was rolled back, or the witness lies.</summary>
    Ahead,
}
