using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Stress.Settling;

/// <summary>KeyHistory is the verified history of a key in one period.</summary>
/// <param name="Versions">All of them.</param>
/// <param name="End">What the copy in the next period is compared with; null: the period has not ended, or its latest value is erased.</param>
/// <param name="Handover">What that comparison says of this period's first version, with what was brought of the period before; null: nothing was.</param>
internal sealed record KeyHistory(IReadOnlyList<VersionCheck.HistoryVersion> Versions, EndState? End, Reason? Handover)
{
    /// <summary>IsOfEnded: the period has ended.</summary>
    public required bool IsOfEnded { get; init; }
}
