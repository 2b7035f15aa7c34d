namespace Optiks.UpdateTask.Witnesses;

/// <summary>
/// Lists the ways in which a witness can treat a checkpoint. The names in lower case are the values of the attribute <c>optiks.outcome</c>
/// in the metric of witness requests.
/// </summary>
internal enum WitnessOutcome
{
    /// <summary>The witness cosigned, and its cosignature verifies.</summary>
    Cosigned,

    /// <summary>The witness could not be reached in time, or it answered that it cannot handle the request at present.</summary>
    Unavailable,

    /// <summary>The witness refused the request, for example because it does not know the log or considers the checkpoint a fork.</summary>
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
