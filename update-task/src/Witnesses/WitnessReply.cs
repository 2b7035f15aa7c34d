using Optiks.Tlog;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>Holds the result of asking a witness to cosign a checkpoint.</summary>
/// <param name="Outcome">How the witness treated the checkpoint.</param>
/// <param name="Detail">A text that says why there is no cosignature; empty if there is a cosignature. This program makes the text and
/// never includes words of the witness.</param>
/// <param name="Cosignature">The verified cosignature; null if the witness did not cosign.</param>
internal sealed record WitnessReply(WitnessOutcome Outcome, string Detail, VerifiedSignature? Cosignature = null)
{
    /// <summary>
    /// Whether the witness named a smaller size than it had already cosigned for this process. If so, an older copy of the witness's state
    /// was restored, and the witness may have cosigned another history since.
    /// </summary>
    public bool WentBack { get; init; }
}
