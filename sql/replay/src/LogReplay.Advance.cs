using Optiks.Native;

namespace Optiks.Storage.Replay;

/// <content>For the log's writer, which makes the epochs itself.</content>
public sealed partial class LogReplay
{
    /// <summary>
    /// Makes an epoch the last that its maker has staged and committed in the directory of <see cref="Trees"/>, or in that of <see cref="Next"/> where it begins that period: these are the trees from then on. Throws
    /// <see cref="InvalidOperationException"/> for a record that does not follow: the maker's bug.
    /// </summary>
    /// <param name="row">The epoch.</param>
    /// <param name="leaves">Its leaves, whose names the trees of the next period get too.</param>
    /// <param name="values">Their values.</param>
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
