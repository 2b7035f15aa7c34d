using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>Everything that one epoch's transaction writes.</summary>
/// <param name="Epoch">The epoch with its record; its checkpoint is empty.</param>
/// <param name="PreviousHash">The hash of the previous epoch's record; the head row must still have this hash.</param>
/// <param name="Period">The period of the leaves of the structures <c>devices</c> and <c>keys</c>.</param>
/// <param name="Leaves">New leaves, sorted by (structure, label); their ordinals are 0, 1, ... in this order.</param>
/// <param name="Outcomes">One outcome for each pending item that was read; the transaction deletes exactly these pending rows.</param>
public sealed record EpochCommit(
    EpochRow Epoch, ReadOnlyMemory<byte> PreviousHash, ulong Period, LeafBatch Leaves, IReadOnlyList<Outcome> Outcomes)
{
    /// <summary>
    /// The erasures that the epoch decides. The transaction deletes the values of the erased leaves, of the copies of these leaves, and of
    /// the leaves that these leaves were copied from. No leaf occurs twice, and no erased leaf belongs to this epoch. In a commit, every
    /// leaf to erase still has its value; in a restore, it may lack it.
    /// </summary>
    public IReadOnlyList<Erasure> Erasures { get; init; } = [];

    /// <summary>The switch to the next period, if this epoch is the first one of that period; otherwise null.</summary>
    public PeriodSwitch? Switch { get; init; }

    /// <summary>
    /// Checks that the parts of the commit agree with each other. Drivers call it before they write. Throws
    /// <see cref="ArgumentException"/>, which indicates a bug in the caller.
    /// </summary>
    /// <param name="restores">
    /// Whether the caller is <see cref="MaintenanceStore.RestoreEpochAsync"/>. If so, values may be missing, but every body hash must be
    /// present.
    /// </param>
    public void ThrowIfInconsistent(bool restores = false)
    {
        ReadOnlySpan<LeafRow> rows = Leaves.Rows.Span;
        ReadOnlySpan<LeafOrigin> origins = Leaves.Origins.Span;
        Require(Epoch.Epoch > 0, "CreateGenesisAsync commits epoch 0");
        Require(Epoch.Record.Length == EpochRecord.Length && Epoch.RecordHash.Length == 32 && PreviousHash.Length == 32,
            "the record or a hash has the wrong length");
        Require(Epoch.Checkpoint.IsEmpty, "a checkpoint is stored after the commit, not with it");
        Require(Leaves.KeyEnds.Length == rows.Length && origins.Length == rows.Length, "the leaves' lists have different lengths");
        var hasOutcome = new bool[rows.Length];
        foreach (Outcome outcome in Outcomes)
        {
            Require(outcome.Item is >= 0 and < Limits.ItemsPerRequest, "an outcome's item is out of range");
            Require(outcome.Result is not ItemResult.Unchanged || outcome.Item == UserChange.ItemIndex,
                "an outcome says unchanged of something other than a device list");
            Require(outcome.Result is not ItemResult.Erased || outcome.Item == ErasureOrder.ItemIndex,
                "an outcome says erased of something other than an erasure");
            Require(!restores || outcome.BodyHash.Length == 32, "a body hash has the wrong length");
            if (outcome.Result is ItemResult.Leaf { Ordinal: var ordinal })
            {
                Require(ordinal >= 0 && ordinal < rows.Length && !hasOutcome[ordinal],
                    "an outcome names no leaf, or the leaf of another outcome");
                Require(origins[ordinal] == new LeafOrigin(outcome.RequestId, outcome.Item), "an outcome names a leaf of another update");
                hasOutcome[ordinal] = true;
            }
        }
        ulong valueBytes = (ulong)Leaves.Values.Length;
        int keyEnd = 0;
        for (int i = 0; i < rows.Length; i++)
        {
            Require(hasOutcome[i] != (origins[i] == LeafOrigin.Padding), "a leaf has no outcome, or a dummy leaf has one");
            Require(rows[i].Epoch == Epoch.Epoch, "a leaf belongs to another epoch");
            bool erased = restores && rows[i].ValueOffset == LeafRow.NoValue;
            Require(erased || (rows[i].ValueOffset <= valueBytes && rows[i].ValueLength <= valueBytes - rows[i].ValueOffset),
                "a leaf's value lies outside the values");
            Require(Leaves.KeyEnds.Span[i] >= keyEnd && Leaves.KeyEnds.Span[i] <= Leaves.Keys.Length, "a leaf's key lies outside the keys");
            Require(i == 0 || IsBefore(in rows[i - 1], in rows[i]), "the leaves are not sorted by structure and label");
            keyEnd = Leaves.KeyEnds.Span[i];
        }
        ThrowIfErasuresInconsistent();
        Require(Switch is null || (Switch.Period > 0 && Switch.Period == Period && Switch.Copies >= 0),
            "the period that it begins is not that of its leaves");
        // In the first epoch of a period, the structures `devices` and `keys` contain only copies (docs/spec/periods.md section 2).
        Require(Switch is null || !HasLeavesOfPeriod(rows), "the first epoch of a period has leaves where only copies are allowed");
    }

    private void ThrowIfErasuresInconsistent()
    {
        if (Erasures.Count == 0)
        {
            return;
        }
        var orders = new HashSet<LeafOrigin>();
        foreach (Outcome outcome in Outcomes.Where(outcome => outcome.Result is ItemResult.Erased))
        {
            orders.Add(new LeafOrigin(outcome.RequestId, outcome.Item));
        }
        var erased = new HashSet<(ulong, ulong?, int)>();
        foreach (Erasure erasure in Erasures)
        {
            bool isLeaf = erasure.Period is null
                ? erasure.Epoch > 0 && erasure.Epoch < Epoch.Epoch
                : erasure.Period > 0 && erasure.Epoch == 0;
            Require(isLeaf && erasure.Ordinal >= 0, "an erasure does not name an earlier leaf");
            Require(erased.Add((erasure.Epoch, erasure.Period, erasure.Ordinal)), "a leaf is erased twice");
            Require(orders.Contains(erasure.Origin), "an erasure belongs to no request that this epoch decides");
        }
    }

    private static bool HasLeavesOfPeriod(ReadOnlySpan<LeafRow> rows)
    {
        foreach (ref readonly LeafRow row in rows)
        {
            if (row.Structure.IsPerPeriod())
            {
                return true;
            }
        }
        return false;
    }

    private static bool IsBefore(in LeafRow a, in LeafRow b) =>
        a.Structure < b.Structure || (a.Structure == b.Structure && a.Label.SequenceCompareTo(b.Label) < 0);

    private void Require(bool condition, string otherwise)
    {
        if (!condition)
        {
            throw new ArgumentException($"Epoch {Epoch.Epoch} cannot be committed: {otherwise}.");
        }
    }
}
