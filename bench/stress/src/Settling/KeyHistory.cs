using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Stress.Settling;

/// <summary>The verified history of a key in one period.</summary>
/// <param name="Versions">All versions of the period.</param>
/// <param name="End">The key's end state, with which the copy in the next period is compared; null if the period has not ended, or the
/// key's latest value is erased.</param>
/// <param name="Handover">The verdict of the comparison of this period's first version with the end of the previous period; null if there
/// was no end state to compare.</param>
internal sealed record KeyHistory(IReadOnlyList<VersionCheck.HistoryVersion> Versions, EndState? End, Reason? Handover)
{
    /// <summary>Whether the period has ended.</summary>
    public required bool IsOfEnded { get; init; }
}
