using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>UserMonitorVerdict of a UserMonitorAnswer.</summary>
/// <param name="Reason">Valid, or why not.</param>
/// <param name="Head">The head when valid, otherwise null.</param>
/// <param name="User">What was shown when valid, otherwise null.</param>
public sealed record UserMonitorVerdict(Reason Reason, VerifiedHead? Head, VerifiedOwnUser? User);
