using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>Holds the verdict on a head that was verified without the rest of its answer.</summary>
/// <param name="Reason">The reason why the head is not valid; <c>Valid</c> if it is valid.</param>
/// <param name="Head">The head if valid, otherwise null.</param>
public sealed record HeadVerdict(Reason Reason, VerifiedHead? Head);
