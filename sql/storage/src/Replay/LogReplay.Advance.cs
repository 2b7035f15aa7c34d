using Optiks.Native;

namespace Optiks.Storage;

/// <content>Contains the part of the replay that only the log's writer uses. The writer makes the epochs itself.</content>
public sealed partial class LogReplay
{
    /// <summary>
    /// Makes an epoch the replay's last epoch, after the writer has staged and committed it in the directory of <see cref="Trees"/>. If the
    /// epoch begins the period of <see cref="Next"/>, the writer must have staged and committed it in the directory of <see cref="Next"/>,
    /// and those trees become <see cref="Trees"/>. Throws <see cref="InvalidOperationException"/> if the epoch's record does not follow the
    /// last record, which indicates a bug in the writer.
    /// </summary>
    /// <param name="row">The epoch.</param>
    /// <param name="leaves">The epoch's leaves. Those of usernames and decommissioned users are also added to the trees of the next
    /// period.</param>
    /// <param name="values">The values of the leaves.</param>
    public void Advance(EpochRow row, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values)
    {
        if (Check(row) is { } refused)
        {
            throw new InvalidOperationException(refused.Why);
        }
        VerifiedEpoch epoch = _records.AsLast(row);
        Append(epoch, epoch.Record.IsSwitch
            ? Next ?? throw new InvalidOperationException($"Epoch {row.Epoch} begins a period whose trees are not there.")
            : Trees);
        if (LoadNames(row.Epoch, leaves, values) is { } unnamed)
        {
            throw new InvalidOperationException(unnamed.Why);
        }
    }
}
