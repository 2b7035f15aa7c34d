using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>Holds the verdict on a LookupAnswer.</summary>
/// <param name="Reason">The reason why the answer is not valid; <c>Valid</c> if it is valid.</param>
/// <param name="FailedKey">The index of the key whose proof failed; null if the answer is valid or no key's proof is at fault.</param>
/// <param name="Head">The head if valid, otherwise null.</param>
/// <param name="Keys">One result for each key if valid, otherwise empty.</param>
public sealed record LookupVerdict(Reason Reason, int? FailedKey, VerifiedHead? Head, IReadOnlyList<VerifiedLookup> Keys);
