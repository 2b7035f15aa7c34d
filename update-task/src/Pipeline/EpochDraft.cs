using Optiks.Native;
using Optiks.Storage;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Holds the next epoch, built next to the current trees and not yet committed. Disposing it leaves everything unchanged.
/// </summary>
/// <param name="Updates">The updates that it decides.</param>
/// <param name="Erasures">The values that it erases.</param>
/// <param name="Commit">The data that its transaction will write.</param>
/// <param name="Staged">The staged trees.</param>
/// <param name="AuditProof">The AuditProof of its step.</param>
internal sealed record EpochDraft(EpochUpdates Updates, ErasurePlan Erasures, EpochCommit Commit, StagedEpoch Staged, ReadOnlyMemory<byte> AuditProof) : IDisposable
{
    /// <summary>The number of updates that it refuses.</summary>
    public int Refused => Commit.Outcomes.Count(outcome => outcome.IsRefused);

    public void Dispose() => Staged.Dispose();
}
