using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>UsersVerdict of a UserLookupAnswer.</summary>
/// <param name="Reason">Valid, or why not.</param>
/// <param name="FailedUser">Index of the user whose proof failed; null when valid or when it was none of them.</param>
/// <param name="Head">The head when valid, otherwise null.</param>
/// <param name="NewestRecord">Where the record of the answer's largest epoch stands, which is the one to keep: that of the head unless the answer has parts.</param>
/// <param name="Users">One result for each user when valid, otherwise empty.</param>
public sealed record UsersVerdict(Reason Reason, int? FailedUser, VerifiedHead? Head, Range NewestRecord, IReadOnlyList<VerifiedUser> Users);
