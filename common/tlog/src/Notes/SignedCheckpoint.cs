namespace Optiks.Tlog;

/// <summary>SignedCheckpoint is a checkpoint whose signatures were verified.</summary>
/// <param name="Note">The note it came in.</param>
/// <param name="Checkpoint">Origin, size and root.</param>
/// <param name="Cosignatures">Verified cosignatures, one a known cosigner; the log's own signature is not among them.</param>
public sealed record SignedCheckpoint(SignedNote Note, Checkpoint Checkpoint, IReadOnlyList<VerifiedSignature> Cosignatures);
