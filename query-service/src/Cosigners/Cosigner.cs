using Optiks.Tlog;

namespace Optiks.QueryService.Cosigners;

/// <summary>Describes an auditor or a witness whose cosigned checkpoints this service returns.</summary>
/// <param name="Key">The cosigner's key, of type 0x04.</param>
/// <param name="Checkpoint">
/// The URL at which the cosigner serves the newest checkpoint that it cosigned for this log; null if its cosignatures are only on the
/// board.
/// </param>
internal sealed record Cosigner(VerifierKey Key, Uri? Checkpoint);
