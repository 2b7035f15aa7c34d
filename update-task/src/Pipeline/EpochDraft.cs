using Optiks.Native;
using Optiks.Storage;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>EpochDraft is the next epoch, built beside the current trees and not yet committed. Disposing it leaves everything as it was.</summary>
/// <param name="Commit">What its transaction will write.</param>
/// <param name="Staged">Its trees.</param>
/// <param name="AuditProof">The AuditProof of its step.</param>
/// <param name="Published">Number of updates in it.</param>
/// <param name="Refused">Number of updates that it refuses.</param>
internal sealed record EpochDraft(EpochCommit Commit, StagedEpoch Staged, ReadOnlyMemory<byte> AuditProof, int Published, int Refused) : IDisposable
{
    public void Dispose() => Staged.Dispose();
}
