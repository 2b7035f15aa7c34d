using Optiks.Tlog;

namespace Optiks.QueryService.Cosigners;

/// <summary>An auditor or a witness whose cosigned checkpoints are handed out.</summary>
/// <param name="Key">Its key, of type 0x04.</param>
/// <param name="Checkpoint">Where it serves the newest checkpoint that it cosigned of this log; null: its cosignatures are on the board alone.</param>
internal sealed record Cosigner(VerifierKey Key, Uri? Checkpoint);
