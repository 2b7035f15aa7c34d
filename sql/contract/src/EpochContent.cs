namespace Optiks.Storage;

/// <summary>What an epoch's transaction wrote, read back.</summary>
/// <param name="Epoch">The epoch with its record, and its checkpoint if it was signed.</param>
/// <param name="Leaves">Its leaves.</param>
/// <param name="Outcomes">Its outcomes.</param>
public sealed record EpochContent(EpochRow Epoch, LeafBatch Leaves, IReadOnlyList<Outcome> Outcomes)
{
    /// <summary>Erasures that it decided, in their order.</summary>
    public IReadOnlyList<Erasure> Erasures { get; init; } = [];

    /// <summary>Switch to another period, if this was its first epoch.</summary>
    public PeriodSwitch? Switch { get; init; }
}
