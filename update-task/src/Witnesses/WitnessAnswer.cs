using Optiks.Tlog;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>WitnessAnswer is what came of asking a witness.</summary>
/// <param name="Outcome">What it made of the checkpoint.</param>
/// <param name="Detail">Why there is no cosignature, in words of ours alone; empty when there is one.</param>
/// <param name="Cosignature">Verified, when it cosigned.</param>
internal sealed record WitnessAnswer(WitnessOutcome Outcome, string Detail, VerifiedSignature? Cosignature = null)
{
    /// <summary>WentBack says that the witness named a smaller size than it had cosigned for this process: an older copy of its state was put back, and it may have cosigned another history since.</summary>
    public bool WentBack { get; init; }
}
