using Optiks.Native;
using Optiks.Storage;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Holds the next epoch, built next to the current trees and not yet committed. Disposing the draft leaves the trees and the database
/// unchanged.
/// </summary>
/// <param name="Updates">The updates that the epoch decides.</param>
/// <param name="Erasures">The values that the epoch erases.</param>
/// <param name="Commit">The data that the epoch's transaction will write.</param>
/// <param name="Staged">The staged trees.</param>
/// <param name="AuditProof">The AuditProof of the step to this epoch.</param>
internal sealed record EpochDraft(EpochUpdates Updates, ErasurePlan Erasures, EpochCommit Commit, StagedEpoch Staged, ReadOnlyMemory<byte> AuditProof) : IDisposable
{
    /// <summary>The number of updates that the epoch refuses.</summary>
    public int Refused => Commit.Outcomes.Count(outcome => outcome.IsRefused);

    public void Dispose() => Staged.Dispose();
}
