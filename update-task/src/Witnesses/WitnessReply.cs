using Optiks.Tlog;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>Holds the result of asking a witness.</summary>
/// <param name="Outcome">How the witness treated the checkpoint.</param>
/// <param name="Detail">Why there is no cosignature, in this program's own words; empty if there is one.</param>
/// <param name="Cosignature">The verified cosignature, if the witness cosigned.</param>
internal sealed record WitnessReply(WitnessOutcome Outcome, string Detail, VerifiedSignature? Cosignature = null)
{
    /// <summary>
    /// Whether the witness named a smaller size than it had cosigned for this process. An older copy of its state was then restored, and it
    /// may have cosigned another history since.
    /// </summary>
    public bool WentBack { get; init; }
}
