using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>PeriodsVerdict of a PeriodsAnswer (docs/spec/periods.md section 4).</summary>
/// <param name="Reason">Valid, or why not.</param>
/// <param name="Head">The head when valid, otherwise null.</param>
/// <param name="Bounds">Where the records of the periods' first and last epochs stand in the answer, by epoch; empty unless valid.</param>
/// <param name="Ends">Those of them that are of the last epochs of periods that ended, by epoch.</param>
public sealed record PeriodsVerdict(Reason Reason, VerifiedHead? Head, IReadOnlyList<Range> Bounds, IReadOnlyList<Range> Ends);
