using Optiks.Storage;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>Holds the last committed epoch until it is published.</summary>
/// <param name="Content">The data that the epoch's transaction wrote.</param>
/// <param name="AuditProof">The AuditProof of the step from the previous epoch to this epoch (docs/spec/answers.md section 1); empty for
/// epoch 0, which has no previous epoch.</param>
internal sealed record CommittedEpoch(EpochContent Content, ReadOnlyMemory<byte> AuditProof);
