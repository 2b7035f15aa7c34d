using Optiks.Storage;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>MadeEpoch is an epoch that is committed and on its way to being published.</summary>
/// <param name="Content">What its transaction wrote.</param>
/// <param name="AuditProof">The AuditProof of its step (docs/spec/answers.md section 1); empty for epoch 0, which has none.</param>
internal sealed record MadeEpoch(EpochContent Content, ReadOnlyMemory<byte> AuditProof);
