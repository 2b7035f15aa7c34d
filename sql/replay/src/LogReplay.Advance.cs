using Optiks.Native;

namespace Optiks.Storage.Replay;

/// <content>Serves the log's writer, which makes the epochs itself.</content>
public sealed partial class LogReplay
{
    /// <summary>
    /// Makes an epoch the last one, after its maker staged and committed it in the directory of <see cref="Trees"/>, or of
    /// <see cref="Next"/> if it begins that period. Those are the trees from then on. Throws <see cref="InvalidOperationException"/> for a
    /// record that does not follow, which is a bug of the maker.
    /// </summary>
    /// <param name="row">The epoch.</param>
    /// <param name="leaves">The epoch's leaves, whose names are also added to the trees of the next period.</param>
    /// <param name="values">The values of the leaves.</param>
    public void Advance(EpochRow row, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values)
    {
        if (Check(row) is { } refused)
        {
            throw new InvalidOperationException(refused.Why);
        }
        VerifiedEpoch epoch = _records.AsLast(row);
        Append(epoch, epoch.Record.IsSwitch ? Next ?? throw new InvalidOperationException($"Epoch {row.Epoch} begins a period whose trees are not there.") : Trees);
        if (LoadNames(row.Epoch, leaves, values) is { } unnamed)
        {
            throw new InvalidOperationException(unnamed.Why);
        }
    }
}
