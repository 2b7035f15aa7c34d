namespace Optiks.Storage;

/// <summary>Everything that an epoch's transaction wrote, read back from the database.</summary>
/// <param name="Epoch">The epoch with its record, and with its checkpoint if the epoch was signed.</param>
/// <param name="Leaves">The leaves that the epoch inserted.</param>
/// <param name="Outcomes">The outcomes of the pending items that the epoch decided.</param>
public sealed record EpochContent(EpochRow Epoch, LeafBatch Leaves, IReadOnlyList<Outcome> Outcomes)
{
    /// <summary>The erasures that the epoch decided, in the order of their numbers.</summary>
    public IReadOnlyList<Erasure> Erasures { get; init; } = [];

    /// <summary>The switch to the next period, if this epoch was the first one of that period; otherwise null.</summary>
    public PeriodSwitch? Switch { get; init; }
}
