using Optiks.Commands;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.Db.Fsck;

/// <summary>
/// Recomputes everything that can be derived from the stored rows, and reports rows that contradict the results. Changes nothing and needs
/// no secret.
/// </summary>
internal static class DirectoryCheck
{
    private const int EpochPage = 4096;

    /// <summary>Checks the database as of one point in time, and the board if the caller gives its paths.</summary>
    public static async Task<FsckReport> RunAsync(
        MaintenanceStore store, TrustAnchor anchor, BoardPaths? paths, TerminalProgress progress, CancellationToken cancellationToken)
    {
        var report = new FsckReport();
        BoardCheck? board = paths is null ? null : await BoardCheck.OpenAsync(paths, anchor, report, cancellationToken);
        await using ConsistentRead read = await store.OpenConsistentReadAsync(cancellationToken);
        HeadRow head = await read.ReadHeadAsync(cancellationToken);
        IReadOnlyList<PeriodRow> periods = await read.ReadPeriodsAsync(cancellationToken);
        var records = new RecordCheck(anchor, head, periods, report) { RootAtSize = board?.Size ?? 0 };
        var leaves = new LeafCheck(anchor.Configuration, await RequestCheck.PendingAsync(read, cancellationToken), report);
        ErasureCheck erasures = await ErasureCheck.ReadAsync(read, head.Epoch, periods, report, cancellationToken);
        using var trees = new TreeCheck(read, anchor.Configuration, report, paths, board?.Size ?? 0);
        var copies = new CopyCheck(read, periods, erasures, report);
        await CheckEpochsAsync();
        long values = await read.CountValuesAsync(cancellationToken);
        if (values != leaves.Values)
        {
            report.Found($"There are {values} values, but only {leaves.Values} belong to a leaf of an epoch.");
        }
        await copies.EndAsync(cancellationToken);
        await RequestCheck.RunAsync(read, head.Epoch, report, cancellationToken);
        if (board is not null)
        {
            await board.RunAsync(read, head, records.RootAt, cancellationToken);
        }
        return report;

        async Task BeginPeriodAsync(EpochRecord record)
        {
            await trees.BeginAsync(record.Period, cancellationToken);
            Dictionary<(StructureId, UInt128), LatestVersion> begun = await copies.BeginAsync(record.Period, trees.Copy, cancellationToken);
            ulong first = periods.FirstOrDefault(period => period.Period == record.Period - 1)?.FirstEpoch ?? 0;
            LeftKeys left = await LeftKeys.ReadAsync(read, record.Period - 1, first, record.Epoch - 1, leaves.Left, cancellationToken);
            HandOverCheck.Run(record.Period, leaves.BeginPeriod(begun), begun, left, report);
        }

        async Task CheckEpochsAsync()
        {
            var cursor = new LeafCursor(read);
            EpochRow? last = null;
            IReadOnlyList<StoredEpoch> page;
            ulong next = 0;
            while ((page = await read.ReadEpochsAsync(next, EpochPage, cancellationToken)).Count > 0)
            {
                foreach (StoredEpoch epoch in page)
                {
                    EpochRecord? record = records.Next(epoch.Row);
                    List<StoredLeaf> taken = await cursor.TakeAsync(epoch.Row.Epoch, cancellationToken);
                    int strays = taken.RemoveAll(leaf => leaf.Epoch != epoch.Row.Epoch);
                    if (strays > 0)
                    {
                        report.Found($"There are {strays} leaves of epochs before {epoch.Row.Epoch} that are not stored.");
                    }
                    if (record is not null && record.Period > 0 && record.PeriodFirstEpoch == record.Epoch)
                    {
                        await BeginPeriodAsync(record);
                    }
                    leaves.Check(epoch, record?.Period ?? 0, taken);
                    trees.Next(epoch.Row, record, taken);
                    taken.ForEach(erasures.Check);
                    report.Leaves += taken.Count;
                    report.Epochs++;
                    last = epoch.Row;
                    progress.Show("epochs", epoch.Row.Epoch, head.Epoch ?? 0);
                }
                next = page[^1].Row.Epoch + 1;
            }
            records.End(last);
            if (await cursor.PeekAsync(cancellationToken) is { } stray)
            {
                report.Found($"There are leaves beyond the last epoch, from epoch {stray.Epoch} on.");
            }
        }
    }
}
