using Optiks.Tlog;

namespace Optiks.QueryService.Cosigners;

/// <summary>An auditor or a witness whose cosigned checkpoints this service returns.</summary>
/// <param name="Key">The cosigner's key, of type 0x04.</param>
/// <param name="Checkpoint">
/// The address where the cosigner serves the newest checkpoint that it cosigned for this log; null when its cosignatures are only on the
/// board.
/// </param>
internal sealed record Cosigner(VerifierKey Key, Uri? Checkpoint);
