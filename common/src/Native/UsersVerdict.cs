using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>Holds the verdict on a UserLookupAnswer.</summary>
/// <param name="Reason">The reason why the answer is not valid; <c>Valid</c> if it is valid.</param>
/// <param name="FailedUser">The index of the user whose proof failed; null if the answer is valid or no user's proof is at fault.</param>
/// <param name="Head">The head if valid, otherwise null.</param>
/// <param name="NewestRecord">The place in the answer of the record with the answer's largest epoch; the client keeps this record. It is
/// the head's record unless the answer has several parts.</param>
/// <param name="Users">One result for each user if valid, otherwise empty.</param>
public sealed record UsersVerdict(
    Reason Reason, int? FailedUser, VerifiedHead? Head, Range NewestRecord, IReadOnlyList<VerifiedUser> Users);
