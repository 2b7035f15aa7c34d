namespace Optiks.UpdateTask.Witnesses;

/// <summary>Says how a witness treated a checkpoint. The names in lower case are the values of the metric's attribute.</summary>
internal enum WitnessOutcome
{
    /// <summary>The witness cosigned, and its cosignature verifies.</summary>
    Cosigned,

    /// <summary>The witness could not be reached in time, or it answered that it cannot work now.</summary>
    Unavailable,

    /// <summary>The witness refused, because it does not know the log or considers the checkpoint a fork.</summary>
    Refused,

    /// <summary>
    /// The witness's answer is unusable: it has no cosignature that verifies, or names a size with which the client cannot continue.
    /// </summary>
    Invalid,

    /// <summary>
    /// The witness says that it cosigned a larger checkpoint than this log has. Either the log was rolled back, or the witness lies.
    /// </summary>
    Ahead,
}
