using Optiks.Storage;

namespace Optiks.UpdateService.Accepting;

/// <summary>CommitOutcome is what a caller is told after its commit.</summary>
/// <param name="State">What became of the unit.</param>
/// <param name="Result">The verdict when <paramref name="State"/> is <see cref="CommitState.Decided"/>.</param>
/// <param name="RetryAfter">For how long the database is not asked, when it was not.</param>
internal readonly record struct CommitOutcome(CommitState State, AcceptResult Result = default, TimeSpan? RetryAfter = null);
