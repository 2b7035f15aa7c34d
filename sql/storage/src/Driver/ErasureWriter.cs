namespace Optiks.Storage;

/// <summary>
/// Writes an epoch's erasures inside the epoch's transaction. The copies of a leaf repeat its value, so an erasure that names one of them
/// applies to all. The copies of the named leaf, and the leaf or copy from which it was copied, lose the value too. Each of them gets a row
/// in the erasure sequence, just like the named leaf.
/// </summary>
internal static class ErasureWriter
{
    /// <summary>
    /// Writes the erasures and deletes the erased values. Returns false when the caller has lost the lease. Also returns false when a value
    /// was missing, unless the epoch is being restored. Between the search for copies and the commit, no other transaction can stage a copy
    /// of an erased value, because staging locks the lease too.
    /// </summary>
    public static async Task<bool> TryWriteAsync(
        ISession session, Lease lease, EpochCommit commit, bool restores, CancellationToken cancellationToken)
    {
        if (commit.Erasures.Count == 0)
        {
            return true;
        }
        if (!await PeriodWriter.TryHoldAsync(session, lease, cancellationToken))
        {
            return false;
        }
        ulong epoch = commit.Epoch.Epoch;
        Statements statements = session.Database.Statements;
        IReadOnlyList<Erasure> erasures = commit.Erasures;
        bool hasCopies = await session.FirstAsync(statements.HasCopies, rows => rows.GetBoolean(0), cancellationToken);
        int expected = erasures.Count;
        if (hasCopies)
        {
            (List<Erasure> connected, int withValues) = await ConnectedAsync(session, erasures, cancellationToken);
            erasures = [.. erasures, .. connected];
            expected += withValues;
        }
        await session.CopyAsync(Table.Erasure, erasures.Count, (cells, i) => RowWriting.WriteErasure(cells, epoch, i, erasures[i]),
            cancellationToken);
        int erased = await session.ChangeAsync(statements.EraseValues, cancellationToken, Parameter.Create("epoch", epoch));
        if (hasCopies)
        {
            erased += await session.ChangeAsync(statements.EraseCopies, cancellationToken, Parameter.Create("epoch", epoch));
        }
        return restores || erased == expected;
    }

    // Finds the other leaves and copies that have the same values as the given ones. A copy whose value was deleted because a later copy
    // superseded it is found too: its value is still in its bundle, and in each follower that has not seen the later copy. If a value was
    // deleted for another reason, such as a destroyed period, its row gets no erasure; but the search goes on to the copies and sources of
    // this row.
    private static async Task<(List<Erasure> Connected, int WithValues)> ConnectedAsync(
        ISession session, IReadOnlyList<Erasure> erasures, CancellationToken cancellationToken)
    {
        var met = new HashSet<(ulong, ulong?, int)>(erasures.Select(Name));
        var open = new Queue<Erasure>(erasures);
        var connected = new List<Erasure>();
        int withValues = 0;
        while (open.TryDequeue(out Erasure erasure))
        {
            Parameter[] leaf = [Parameter.Create("epoch", erasure.Epoch), Parameter.Create("period", erasure.Period),
                Parameter.Create("ordinal", erasure.Ordinal)];
            IReadOnlyList<(Erasure Leaf, bool HasValue, bool IsSuperseded)> others = await session.ListAsync(
                session.Database.Statements.CopiesOf,
                rows => (new Erasure(0, rows.GetInt32(1), erasure.Origin) { Period = rows.GetUInt64(0) }, rows.GetBoolean(2),
                    rows.GetBoolean(3)), cancellationToken, leaf);
            if (erasure.Period is ulong period)
            {
                others =
                [
                    .. others,
                    .. await session.ListAsync(
                        session.Database.Statements.SourceOf,
                        rows =>
                            (new Erasure(rows.GetUInt64(0), rows.GetInt32(1),
                                erasure.Origin) { Period = rows.GetUInt64(0) == 0 ? period - 1 : null }, rows.GetBoolean(2), false),
                        cancellationToken,
                        Parameter.Create("period", period),
                        Parameter.Create("number", erasure.Ordinal)),
                ];
            }
            foreach ((Erasure other, bool hasValue, bool isSuperseded) in others)
            {
                if (!met.Add(Name(other)))
                {
                    continue;
                }
                open.Enqueue(other);
                withValues += hasValue ? 1 : 0;
                if (hasValue || isSuperseded)
                {
                    connected.Add(other);
                }
            }
        }
        return (connected, withValues);
    }

    private static (ulong Epoch, ulong? Period, int Ordinal) Name(Erasure erasure) => (erasure.Epoch, erasure.Period, erasure.Ordinal);
}
