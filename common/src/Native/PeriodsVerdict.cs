using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>Holds the verdict on a PeriodsAnswer (docs/spec/periods.md section 4).</summary>
/// <param name="Reason">Valid, or why the answer is not valid.</param>
/// <param name="Head">The head if valid, otherwise null.</param>
/// <param name="Bounds">The places of the records of the periods' first and last epochs in the answer, by epoch; empty unless
/// valid.</param>
/// <param name="Ends">The bounds that belong to the last epochs of ended periods, by epoch.</param>
public sealed record PeriodsVerdict(Reason Reason, VerifiedHead? Head, IReadOnlyList<Range> Bounds, IReadOnlyList<Range> Ends);
