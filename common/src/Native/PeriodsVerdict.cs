using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>Reports whether a PeriodsAnswer (docs/spec/periods.md section 4) is valid, and where the records are in it.</summary>
/// <param name="Reason">The reason why the answer is not valid; <c>Valid</c> if it is valid.</param>
/// <param name="Head">The verified head if the answer is valid, otherwise null.</param>
/// <param name="Bounds">The octets of the answer that are the records of the periods' first and last epochs, one range for each record, in
/// the order of the epochs. Empty if the answer is not valid.</param>
/// <param name="Ends">Those ranges of <paramref name="Bounds"/> that are the records of ended periods' last epochs, in the order of the
/// epochs.</param>
public sealed record PeriodsVerdict(Reason Reason, VerifiedHead? Head, IReadOnlyList<Range> Bounds, IReadOnlyList<Range> Ends);
