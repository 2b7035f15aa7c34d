using Optiks.Native;
using Optiks.Secrets;

namespace Optiks.Storage;

/// <summary>Writes periods and their copies inside a transaction.</summary>
internal static class PeriodWriter
{
    // The largest number of epochs whose leaves one call destroys. The number is limited because the call reads a row even for an epoch
    // without leaves.
    private const int MaxEpochsPerPiece = 4096;

    /// <summary>
    /// Locks the lease until the transaction ends; returns false when the caller has lost the lease. Meanwhile a transaction that commits
    /// an epoch with erasures or a switch must wait. If such a transaction came first, this method waits for it, and later reads see its
    /// result. So no value is copied while it is being erased.
    /// </summary>
    public static async Task<bool> TryHoldAsync(ISession session, Lease lease, CancellationToken cancellationToken) =>
        await session.ChangeAsync(session.Database.Statements.LockLease, cancellationToken, Parameter.Create("fence", lease.Fence),
            Parameter.Create("holder", lease.Holder)) == 1;

    /// <summary>
    /// Returns the row of the next period, and writes the row if it does not exist. Returns null when the caller has lost the lease, when
    /// the given period is not the one after the current period, or when another key than the caller's wraps the current period's secrets.
    /// </summary>
    public static async Task<PeriodRow?> BeginAsync(
        ISession session, Lease lease, ulong period, ReadOnlyMemory<byte> wrappedSecrets, CancellationToken cancellationToken)
    {
        if (!await TryHoldAsync(session, lease, cancellationToken))
        {
            return null;
        }
        IReadOnlyList<PeriodRow> periods =
            await session.ListAsync(session.Database.Statements.Periods, StoredRows.Period, cancellationToken);
        PeriodRow current = PeriodRows.Current(periods);
        if (current.Period + 1 != period)
        {
            return null;
        }
        if (PeriodRows.Next(periods) is { } present)
        {
            return present;
        }
        // The new secrets must be wrapped by the key that wraps the current period's secrets (docs/spec/wrapping.md section 3). This
        // transaction and a transaction that rotates that key cannot run at the same time, because both lock the head row.
        if (KeyId.TryRead(current.WrappedSecrets.Span, out KeyId wanted) && KeyId.TryRead(wrappedSecrets.Span, out KeyId by)
            && by != wanted)
        {
            return null;
        }
        var next = new PeriodRow(period, PeriodState.Next, FirstEpoch: null, Copies: null, wrappedSecrets, current.Configuration);
        return await InsertAsync(session, next, cancellationToken) == 1 ? next : null;
    }

    /// <summary>
    /// Replaces a period's wrapped secrets, but only if they still equal the old ones (<paramref name="before"/>). Locks the head row, so
    /// that no period begins before the transaction ends.
    /// </summary>
    public static async Task<bool> RewrapAsync(
        ISession session, ulong period, ReadOnlyMemory<byte> before, ReadOnlyMemory<byte> after, CancellationToken cancellationToken)
    {
        _ = await session.ChangeAsync(session.Database.Statements.LockHead, cancellationToken);
        return await session.ChangeAsync(
            session.Database.Statements.RewrapSecrets, cancellationToken, Parameter.Create("period", period),
            Parameter.Create("before", before), Parameter.Create("after", after)) == 1;
    }

    /// <summary>Inserts a period's row and returns the number of inserted rows, which is 0 if the row already exists.</summary>
    public static Task<int> InsertAsync(ISession session, PeriodRow period, CancellationToken cancellationToken) => session.ChangeAsync(
        session.Database.Statements.InsertPeriod,
        cancellationToken,
        Parameter.Create("period", period.Period),
        Parameter.Create("state", (int)period.State),
        Parameter.Create("first", period.FirstEpoch),
        Parameter.Create("copies", (ulong?)period.Copies),
        Parameter.Create("secrets", period.WrappedSecrets),
        Parameter.Create("configuration", period.Configuration));

    /// <summary>Adds copies to the next period if the first of their numbers follows the last stored one.</summary>
    public static async Task<StageResult> StageAsync(ISession session, Lease lease, CopyBatch copies, CancellationToken cancellationToken)
    {
        if (!await TryHoldAsync(session, lease, cancellationToken)
            || await CopyReader.NextAsync(session, copies.Period, cancellationToken) is not { State: PeriodState.Next } next
            || next.Number != copies.First)
        {
            return StageResult.Fenced;
        }
        return await AddAsync(session, copies, cancellationToken);
    }

    /// <summary>Adds the copies of the batch that the database does not have yet.</summary>
    public static async Task<StageResult> RestoreAsync(ISession session, Lease lease, CopyBatch copies, CancellationToken cancellationToken)
    {
        if (!await TryHoldAsync(session, lease, cancellationToken)
            || await CopyReader.NextAsync(session, copies.Period, cancellationToken) is not { } next
            || next.Number < copies.First)
        {
            return StageResult.Fenced;
        }
        if (next.Number >= copies.End)
        {
            return StageResult.Staged;
        }
        return next.State == PeriodState.Next ? await AddAsync(session, copies.From(next.Number), cancellationToken) : StageResult.Fenced;
    }

    /// <summary>
    /// Makes the next period the current one. Returns false when the caller has lost the lease. Also returns false when the period does not
    /// follow the current one, has another state than <see cref="PeriodState.Next"/>, or has another number of copies than the given switch
    /// (<paramref name="begun"/>) says.
    /// </summary>
    public static async Task<bool> TrySwitchAsync(
        ISession session, Lease lease, PeriodSwitch begun, ulong epoch, CancellationToken cancellationToken) =>
        await TryHoldAsync(session, lease, cancellationToken)
        // The current period must end first, so that two periods are never current at the same time.
        && await session.ChangeAsync(
            session.Database.Statements.EndPeriod, cancellationToken, Parameter.Create("period", begun.Period - 1)) == 1
        && await session.ChangeAsync(
            session.Database.Statements.StartPeriod,
            cancellationToken,
            Parameter.Create("period", begun.Period),
            Parameter.Create("first", epoch),
            Parameter.Create("copies", begun.Copies)) == 1;

    /// <summary>Deletes a period's secrets from the database. Returns false when the caller has lost the lease.</summary>
    public static async Task<bool> BeginDestroyingAsync(
        ISession session, Lease lease, ulong period, int retainedPeriods, CancellationToken cancellationToken)
    {
        if (!await TryHoldAsync(session, lease, cancellationToken))
        {
            return false;
        }
        IReadOnlyList<PeriodRow> periods =
            await session.ListAsync(session.Database.Statements.Periods, StoredRows.Period, cancellationToken);
        ulong current = PeriodRows.Current(periods).Period;
        if (period >= current || current - period < (ulong)retainedPeriods
            || (period > 0 && periods[(int)period - 1].State < PeriodState.Destroying))
        {
            throw new ArgumentException(
                $"Period {period} is still served in period {current}, or an earlier one is: its secrets are not destroyed.",
                nameof(period));
        }
        return periods[(int)period].State >= PeriodState.Destroying
            || await session.ChangeAsync(
                session.Database.Statements.DestroySecrets, cancellationToken, Parameter.Create("period", period)) == 1;
    }

    /// <summary>
    /// Deletes openings, keys and values of a period's copies and leaves, at most about the given number of them
    /// (<paramref name="maxValues"/>). Returns whether all of them are deleted now. Returns null when the caller has lost the lease, or
    /// when the period's secrets are not destroyed yet.
    /// </summary>
    public static async Task<bool?> DestroyAsync(
        ISession session, Lease lease, ulong period, int maxValues, CancellationToken cancellationToken)
    {
        if (!await TryHoldAsync(session, lease, cancellationToken)
            || await CopyReader.NextAsync(session, period, cancellationToken) is not { State: >= PeriodState.Destroying } row)
        {
            return null;
        }
        if (row.State == PeriodState.Destroyed)
        {
            return true;
        }
        Statements statements = session.Database.Statements;
        int destroyed = await session.ChangeAsync(
            statements.DestroyCopies, cancellationToken, Parameter.Create("period", period), Parameter.Create("max", maxValues));
        return destroyed < maxValues
            && await DestroyLeavesAsync(session, period, maxValues - destroyed, cancellationToken)
            && await session.ChangeAsync(statements.EndDestroying, cancellationToken, Parameter.Create("period", period)) == 1;
    }

    // Deletes the values of whole epochs, beginning with the first epoch that the previous call did not reach. The period's row records
    // that epoch, so that no call searches an epoch again. Returns true when no epoch is left.
    private static async Task<bool> DestroyLeavesAsync(ISession session, ulong period, int maxValues, CancellationToken cancellationToken)
    {
        Statements statements = session.Database.Statements;
        (ulong first, ulong end) = await session.FirstAsync(statements.LeftToDestroy, rows => (rows.GetUInt64(0), rows.GetUInt64(1)),
            cancellationToken, Parameter.Create("period", period));
        if (first == end)
        {
            return true;
        }
        ulong through = first;
        long leaves = 0;
        Parameter[] epochs = [Parameter.Create("first", first), Parameter.Create("last", end - 1),
            Parameter.Create("max", MaxEpochsPerPiece)];
        foreach ((ulong epoch, long count) in await session.ListAsync(
            statements.EpochSizes, rows => (rows.GetUInt64(0), rows.GetInt64(1)), cancellationToken, epochs))
        {
            if (leaves > 0 && leaves + count > maxValues)
            {
                break;
            }
            leaves += count;
            through = epoch;
        }
        _ = await session.ChangeAsync(
            statements.DestroyLeaves, cancellationToken, Parameter.Create("first", first), Parameter.Create("last", through));
        _ = await session.ChangeAsync(
            statements.SetDestroyedBefore, cancellationToken, Parameter.Create("period", period), Parameter.Create("before", through + 1));
        return through + 1 == end;
    }

    private static async Task<StageResult> AddAsync(ISession session, CopyBatch copies, CancellationToken cancellationToken)
    {
        int[] withValues = [.. Enumerable.Range(0, copies.Rows.Length).Where(i => copies.Rows.Span[i].ValueOffset != LeafRow.NoValue)];
        await session.CopyAsync(
            Table.Copy,
            copies.Rows.Length,
            (cells, i) =>
            {
                ref readonly LeafRow row = ref copies.Rows.Span[i];
                WriteCopyStart(cells, copies.Period, copies.First + i, (int)row.Structure, copies.Sources.Span[i]);
                cells.WriteBytes(row.Label);
                cells.WriteBytes(row.Commitment);
                cells.WriteBytes(row.Tag);
            },
            cancellationToken);
        await session.CopyAsync(
            Table.CopyValue,
            withValues.Length,
            (cells, i) =>
            {
                int row = withValues[i];
                cells.WriteUInt64(copies.Period);
                cells.WriteInt32(copies.First + row);
                cells.WriteBytes(copies.Rows.Span[row].Opening);
                cells.WriteBytes(copies.Key(row));
                cells.WriteBytes(copies.Value(row));
            },
            cancellationToken);
        long sources = await session.FirstAsync(
            session.Database.Statements.CountSources, rows => rows.GetInt64(0), cancellationToken,
            Parameter.Create("period", copies.Period), Parameter.Create("number", copies.First));
        if (sources != withValues.Length)
        {
            return StageResult.SourceErased;
        }
        // Only the last row of a key is in force, so the values of its other rows are deleted now. If they stayed, no erasure could find
        // them once their sources are destroyed with an earlier period.
        _ = await session.ChangeAsync(
            session.Database.Statements.DropSuperseded, cancellationToken, Parameter.Create("period", copies.Period),
            Parameter.Create("number", copies.First));
        return StageResult.Staged;
    }

    /// <summary>Writes the first cells of a copy's row, up to and including its source.</summary>
    public static void WriteCopyStart(IRowWriter cells, ulong period, int number, int structure, CopySource source)
    {
        cells.WriteUInt64(period);
        cells.WriteInt32(number);
        cells.WriteInt16(structure);
        cells.WriteUInt64(source.Version);
        cells.WriteUInt64(source.IsDrop ? null : source.Epoch);
        cells.WriteInt32(source.IsDrop ? null : source.Ordinal);
    }
}
