namespace Optiks.Auditor;

/// <summary>Describes the state of a log after a look, for the command line.</summary>
/// <param name="Origin">Log.</param>
/// <param name="Condition">Name of the auditor's condition for this log.</param>
/// <param name="Description">The same in sentences.</param>
/// <param name="FirstEpoch">First epoch of the coverage.</param>
/// <param name="SignedEpoch">Last epoch that is signed; null before the first signature.</param>
/// <param name="VerifiedEpoch">Last epoch that is verified; null before the first.</param>
/// <param name="ProofOctets">Octets of proofs in this look.</param>
/// <param name="Finding">The finding; null if nothing is wrong.</param>
/// <param name="Warning">Answers of single servers that were refused although another server's answer verified; null if no answer was
/// refused.</param>
public sealed record AuditorReport(
    string Origin, string Condition, string Description, ulong FirstEpoch, ulong? SignedEpoch, ulong? VerifiedEpoch, long ProofOctets, Finding? Finding, string? Warning)
{
    internal static AuditorReport From(LogView view) => new(
        view.Origin, CoverageJson.Name(view.Condition), view.Description, view.Log.FirstEpoch, view.Signed?.Epoch, view.VerifiedEpoch, view.ProofOctets, view.Finding, view.Warning);
}
