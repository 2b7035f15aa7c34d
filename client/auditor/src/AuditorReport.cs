namespace Optiks.Auditor;

/// <summary>AuditorReport is how a log stands after a look, for the command line.</summary>
/// <param name="Origin">Log.</param>
/// <param name="Condition">Name of how the auditor gets on with it.</param>
/// <param name="Description">The same in sentences.</param>
/// <param name="FirstEpoch">First epoch of the coverage.</param>
/// <param name="SignedEpoch">Last epoch that is signed; null: none.</param>
/// <param name="VerifiedEpoch">Last epoch that is verified; null: none.</param>
/// <param name="ProofOctets">Octets of proofs in this look.</param>
/// <param name="Finding">What is wrong; null: nothing.</param>
/// <param name="Warning">What single servers answered though another one's answer verified; null: nothing.</param>
public sealed record AuditorReport(
    string Origin, string Condition, string Description, ulong FirstEpoch, ulong? SignedEpoch, ulong? VerifiedEpoch, long ProofOctets, Finding? Finding, string? Warning)
{
    internal static AuditorReport Of(LogView view) => new(
        view.Origin, CoverageJson.Name(view.Condition), view.Description, view.Log.FirstEpoch, view.Signed?.Epoch, view.VerifiedEpoch, view.ProofOctets, view.Finding, view.Warning);
}
