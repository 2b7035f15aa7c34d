namespace Optiks.Auditor;

/// <summary>Describes, for the command line, the state of a log after the auditor has looked at it.</summary>
/// <param name="Origin">Origin of the log.</param>
/// <param name="Condition">Name of the auditor's condition for this log.</param>
/// <param name="Description">Description of this condition, in sentences.</param>
/// <param name="FirstEpoch">First epoch of the coverage.</param>
/// <param name="SignedEpoch">Last epoch that the auditor has signed; null before the first signature.</param>
/// <param name="VerifiedEpoch">Last epoch that the auditor has verified; null before the first verified epoch.</param>
/// <param name="ProofOctets">Number of octets of all proofs that the auditor has read since it started.</param>
/// <param name="Finding">The finding about the log; null if there is no finding.</param>
/// <param name="Warning">
/// Describes each answer that the auditor refused, with its server, if another server's answer verified. Null if the auditor refused no
/// answer.
/// </param>
public sealed record AuditorReport(
    string Origin, string Condition, string Description, ulong FirstEpoch, ulong? SignedEpoch, ulong? VerifiedEpoch, long ProofOctets,
    Finding? Finding, string? Warning)
{
    internal static AuditorReport From(LogView view) => new(
        view.Origin, CoverageJson.Name(view.Condition), view.Description, view.Log.FirstEpoch, view.Signed?.Epoch, view.VerifiedEpoch,
        view.ProofOctets, view.Finding, view.Warning);
}
