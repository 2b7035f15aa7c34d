using Optiks.Tlog;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>Holds the result of asking a witness.</summary>
/// <param name="Outcome">How the witness treated the checkpoint.</param>
/// <param name="Detail">Why there is no cosignature, in this program's own words; empty if there is a cosignature.</param>
/// <param name="Cosignature">The verified cosignature, if the witness cosigned.</param>
internal sealed record WitnessReply(WitnessOutcome Outcome, string Detail, VerifiedSignature? Cosignature = null)
{
    /// <summary>
    /// Whether the witness named a smaller size than the size that it had cosigned for this process. In that case an older copy of the
    /// witness's state was restored, and the witness may have cosigned another history since.
    /// </summary>
    public bool WentBack { get; init; }
}
