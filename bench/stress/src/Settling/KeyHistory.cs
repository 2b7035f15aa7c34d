using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Stress.Settling;

/// <summary>Holds the verified history of a key in one period.</summary>
/// <param name="Versions">All versions of the key in the period.</param>
/// <param name="End">The key's end state, with which the key's copy in the next period is compared; null if the period has not ended or the
/// key's latest value is erased.</param>
/// <param name="Handover">The verdict on the hand-over, which compares the first version of this period with the end state in the previous
/// period; null if there was no end state to compare with.</param>
internal sealed record KeyHistory(IReadOnlyList<VersionCheck.HistoryVersion> Versions, EndState? End, Reason? Handover)
{
    /// <summary>Whether the period has ended.</summary>
    public required bool IsOfEnded { get; init; }
}
