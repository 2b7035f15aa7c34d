using Optiks.Storage;

namespace Optiks.UpdateService.Accepting;

/// <summary>Holds the result of a commit for one caller.</summary>
/// <param name="State">The result for the unit as an enumeration value.</param>
/// <param name="Result">The database's verdict, if the state is <see cref="CommitState.Decided"/>.</param>
/// <param name="RetryAfter">The time until the service asks the database again, if the service did not ask it about the unit; otherwise
/// null.</param>
internal readonly record struct CommitOutcome(CommitState State, AcceptResult Result = default, TimeSpan? RetryAfter = null);
