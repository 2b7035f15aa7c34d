using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>Holds the verdict on a PeriodsAnswer (docs/spec/periods.md section 4).</summary>
/// <param name="Reason">The reason why the answer is not valid; <c>Valid</c> if it is valid.</param>
/// <param name="Head">The head if valid, otherwise null.</param>
/// <param name="Bounds">The places in the answer of the records of the periods' first and last epochs, in the order of epochs; empty unless
/// valid.</param>
/// <param name="Ends">The elements of <paramref name="Bounds"/> that are records of ended periods' last epochs, in the order of
/// epochs.</param>
public sealed record PeriodsVerdict(Reason Reason, VerifiedHead? Head, IReadOnlyList<Range> Bounds, IReadOnlyList<Range> Ends);
