using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Pipeline;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Periods;

/// <summary>
/// Destroys the data that make proofs possible in periods that are no longer served (docs/spec/periods.md section 8). It works in pieces:
/// it destroys a period's secrets first, then the data in bundles, and then the data in the database. After a crash, the period's state in
/// the database says where to continue. Only one thread may use it.
/// </summary>
internal sealed class PeriodDestroyer
{
    private const int ValuesPerPiece = 4096;
    private const int BundlesPerPiece = 16;

    private readonly LeasedLog _log;
    private readonly TaskReport _report;
    private readonly HashSet<ulong> _withoutBundles = [];
    private Queue<(PeriodRow Row, ulong End)>? _periods;
    private ulong _nextBundle;

    /// <summary>Makes a destroyer that works as long as one lease lasts.</summary>
    public PeriodDestroyer(LeasedLog log, TaskReport report)
    {
        _log = log;
        _report = report;
    }

    /// <summary>
    /// Makes the next call of the method <see cref="WorkAsync"/> read the list of periods again, for example because one more period has
    /// ended.
    /// </summary>
    public void Restart() => _periods = null;

    /// <summary>Destroys one piece of the data. Returns false if nothing remains to destroy.</summary>
    public async Task<bool> WorkAsync(CancellationToken cancellationToken)
    {
        if (_periods is null)
        {
            IReadOnlyList<PeriodRow> all = await _log.Store.ReadPeriodsAsync(cancellationToken);
            int retained = _log.Session.Identity.Anchor.Configuration.RetainedPeriods;
            ulong current = PeriodRows.Current(all).Period;
            // The queue includes periods whose data in the database were destroyed by an operator's tool. That tool does not destroy
            // bundles, so the task must do it.
            _periods =
                new Queue<(PeriodRow, ulong)>(all.Where(row => row.State >= PeriodState.Ended && current - row.Period >= (ulong)retained
                && !(row.State == PeriodState.Destroyed && _withoutBundles.Contains(row.Period)))
                .Select(row => (row, all[(int)row.Period + 1].FirstEpoch!.Value)));
            _nextBundle = 0;
        }
        if (!_periods.TryPeek(out (PeriodRow Row, ulong End) oldest))
        {
            return false;
        }
        PeriodRow period = oldest.Row;
        if (period.State == PeriodState.Ended)
        {
            await _log.Store.BeginDestroyingAsync(
                _log.Lease, period.Period, _log.Session.Identity.Anchor.Configuration.RetainedPeriods, CancellationToken.None);
            FailPoints.Hit(FailPoints.PeriodDestroying);
            _report.Log.PeriodDestroying(period.Period);
            Restart();
            return true;
        }
        if (!_withoutBundles.Contains(period.Period))
        {
            if (await DestroyBundlesAsync(period, oldest.End, cancellationToken))
            {
                _withoutBundles.Add(period.Period);
            }
            return true;
        }
        if (period.State == PeriodState.Destroying)
        {
            if (!await _log.Store.DestroyAsync(_log.Lease, period.Period, ValuesPerPiece, CancellationToken.None))
            {
                return true;
            }
            _report.Log.PeriodDestroyed(period.Period);
        }
        _ = _periods.Dequeue();
        _nextBundle = 0;
        return true;
    }

    // Destroys values in a period's bundles. The parameter `end` is the first epoch after the destroyed period.
    private async Task<bool> DestroyBundlesAsync(PeriodRow period, ulong end, CancellationToken cancellationToken)
    {
        using BoardLock boardLock = await _log.LockBoardAsync(cancellationToken);
        await _log.CheckHeadAsync(CancellationToken.None);
        _log.Session.State.DestroyCopies(period.Period);
        if (_nextBundle == 0 && _log.Session.State.HasCopies(period.Period + 1))
        {
            // Some rows of the next period's copies were superseded by later rows, and contain values of the destroyed period's leaves.
            // Bundles still contain these values, because the bundles were written before the rows were superseded.
            _log.Session.State.EraseCopies(
                period.Period + 1,
                (await _log.Store.ReadSupersededAsync(period.Period + 1, 0, int.MaxValue, cancellationToken)).ToHashSet());
        }
        return _log.Session.State.DestroyValues(Math.Max(period.FirstEpoch!.Value, _nextBundle), end - 1, BundlesPerPiece) is not ulong next
            || (_nextBundle = next) >= end;
    }
}
