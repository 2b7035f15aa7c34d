using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>Holds the verdict on a UserMonitorAnswer.</summary>
/// <param name="Reason">The reason why the answer is not valid; <c>Valid</c> if it is valid.</param>
/// <param name="Head">The head if valid, otherwise null.</param>
/// <param name="User">The proven state of the user if valid, otherwise null.</param>
public sealed record UserMonitorVerdict(Reason Reason, VerifiedHead? Head, VerifiedOwnUser? User);
