using Optiks.Native;
using Optiks.Storage;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>EpochDraft is the next epoch, built beside the current trees and not yet committed. Disposing it leaves everything as it was.</summary>
/// <param name="Updates">The updates that it decides.</param>
/// <param name="Erasures">What it erases.</param>
/// <param name="Commit">What its transaction will write.</param>
/// <param name="Staged">Its trees.</param>
/// <param name="AuditProof">The AuditProof of its step.</param>
internal sealed record EpochDraft(EpochUpdates Updates, ErasurePlan Erasures, EpochCommit Commit, StagedEpoch Staged, ReadOnlyMemory<byte> AuditProof) : IDisposable
{
    /// <summary>Refused is the number of updates that it refuses.</summary>
    public int Refused => Commit.Outcomes.Count(outcome => outcome.IsRefused);

    public void Dispose() => Staged.Dispose();
}
