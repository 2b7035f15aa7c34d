namespace Optiks.Storage;

/// <summary>EpochCommit is everything that one epoch's transaction writes.</summary>
/// <param name="Epoch">The epoch with its record; its checkpoint is empty.</param>
/// <param name="PreviousHash">Hash of the record before, which the head must still name.</param>
/// <param name="Period">Period of the leaves of devices and keys.</param>
/// <param name="Leaves">New leaves, ordinals 0, 1, ... in this order, sorted by (structure, label).</param>
/// <param name="Outcomes">One for each pending item that was read; exactly these pending rows are deleted.</param>
public sealed record EpochCommit(EpochRow Epoch, ReadOnlyMemory<byte> PreviousHash, ulong Period, LeafBatch Leaves, IReadOnlyList<Outcome> Outcomes);
