namespace Optiks.Storage.Driver;

/// <summary>
/// Writes an epoch's erasures inside its transaction. An erasure that names one leaf of a value applies to the value everywhere. The copies
/// of that leaf, and the leaf or copy that it was copied from, lose the value too. These leaves and copies get rows in the erasure
/// sequence, as the named leaf does.
/// </summary>
internal static class ErasureWriter
{
    /// <summary>
    /// Writes the erasures and deletes their values. Returns false when the lease is lost or, except for an epoch that is restored, when a
    /// value was missing. No copy of a value can be staged between the search for copies and the commit, because both transactions hold the
    /// lease.
    /// </summary>
    public static async Task<bool> TryWriteAsync(ISession session, Lease lease, EpochCommit commit, bool restores, CancellationToken cancellationToken)
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
        await session.CopyAsync(Table.Erasure, erasures.Count, (cells, i) => RowWriting.WriteErasure(cells, epoch, i, erasures[i]), cancellationToken);
        int erased = await session.ChangeAsync(statements.EraseValues, cancellationToken, Parameter.Create("epoch", epoch));
        if (hasCopies)
        {
            erased += await session.ChangeAsync(statements.EraseCopies, cancellationToken, Parameter.Create("epoch", epoch));
        }
        return restores || erased == expected;
    }

    // Finds the leaves and copies that still have the same value. Also finds rows of copies whose value a later row superseded, because
    // bundles and followers may not have seen that later row yet. Rows that lost the value in another way, such as with a destroyed period,
    // get no erasure; the search only continues from them.
    private static async Task<(List<Erasure> Connected, int WithValues)> ConnectedAsync(ISession session, IReadOnlyList<Erasure> erasures, CancellationToken cancellationToken)
    {
        var met = new HashSet<(ulong, ulong?, int)>(erasures.Select(Name));
        var open = new Queue<Erasure>(erasures);
        var connected = new List<Erasure>();
        int withValues = 0;
        while (open.TryDequeue(out Erasure erasure))
        {
            Parameter[] leaf = [Parameter.Create("epoch", erasure.Epoch), Parameter.Create("period", erasure.Period), Parameter.Create("ordinal", erasure.Ordinal)];
            IReadOnlyList<(Erasure Leaf, bool HasValue, bool IsSuperseded)> others = await session.ListAsync(
                session.Database.Statements.CopiesOf, rows => (new Erasure(0, rows.GetInt32(1), erasure.Origin) { Period = rows.GetUInt64(0) }, rows.GetBoolean(2), rows.GetBoolean(3)), cancellationToken, leaf);
            if (erasure.Period is ulong period)
            {
                others =
                [
                    .. others,
                    .. await session.ListAsync(
                        session.Database.Statements.SourceOf,
                        rows => (new Erasure(rows.GetUInt64(0), rows.GetInt32(1), erasure.Origin) { Period = rows.GetUInt64(0) == 0 ? period - 1 : null }, rows.GetBoolean(2), false),
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
