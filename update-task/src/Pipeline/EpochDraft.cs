using Optiks.Native;
using Optiks.Storage;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Holds the next epoch before it is committed. Its changes are staged next to the current trees. Disposing the draft drops them and leaves
/// the trees and the database unchanged.
/// </summary>
/// <param name="Updates">The updates that the epoch decides.</param>
/// <param name="Erasures">The values that the epoch erases.</param>
/// <param name="Commit">The data that the epoch's transaction will write.</param>
/// <param name="Staged">The epoch's staged changes to the trees.</param>
/// <param name="AuditProof">The AuditProof of the step from the previous epoch to this epoch.</param>
internal sealed record EpochDraft(
    EpochUpdates Updates, ErasurePlan Erasures, EpochCommit Commit, StagedEpoch Staged, ReadOnlyMemory<byte> AuditProof) : IDisposable
{
    /// <summary>The number of updates that the epoch refuses.</summary>
    public int Refused => Commit.Outcomes.Count(outcome => outcome.Result is ItemResult.Refused);

    public void Dispose() => Staged.Dispose();
}
