using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>HeadVerdict of a head alone.</summary>
/// <param name="Reason">Valid, or why not.</param>
/// <param name="Head">The head when valid, otherwise null.</param>
public sealed record HeadVerdict(Reason Reason, VerifiedHead? Head);
