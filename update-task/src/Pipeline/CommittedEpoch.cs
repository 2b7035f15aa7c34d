using Optiks.Storage;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>CommittedEpoch is the last epoch while it is not published.</summary>
/// <param name="Content">What its transaction wrote.</param>
/// <param name="AuditProof">The AuditProof of its step (docs/spec/answers.md section 1); empty for epoch 0, which has none.</param>
internal sealed record CommittedEpoch(EpochContent Content, ReadOnlyMemory<byte> AuditProof);
