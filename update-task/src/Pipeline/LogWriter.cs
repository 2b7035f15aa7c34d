using System.Diagnostics;
using Optiks.Storage;
using Optiks.UpdateTask.Periods;
using Optiks.UpdateTask.Rules;
using Optiks.UpdateTask.Telemetry;
using Optiks.UpdateTask.Time;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Writes the log during one lease, epoch by epoch. It reads updates, makes an epoch of them, commits the epoch and publishes it. At most
/// one committed epoch is unpublished at any time. Only one caller at a time may use it.
/// </summary>
internal sealed class LogWriter : IAsyncDisposable
{
    private readonly LeasedLog _log;
    private readonly EpochMaker _maker;
    private readonly EpochCommitter _committer;
    private readonly EpochPublisher _publisher;
    private readonly UpdateReader _updates;
    private readonly PeriodKeeper _periods;
    private readonly ClockGuard _clocks;
    private readonly TaskReport _report;
    private readonly int _purgedRequestsPerEpoch;

    public LogWriter(
        LeasedLog log, EpochMaker maker, EpochCommitter committer, EpochPublisher publisher, UpdateReader updates, PeriodKeeper periods,
        ClockGuard clocks, TaskReport report, int purgedRequestsPerEpoch)
    {
        _log = log;
        _maker = maker;
        _committer = committer;
        _publisher = publisher;
        _updates = updates;
        _periods = periods;
        _clocks = clocks;
        _report = report;
        _purgedRequestsPerEpoch = purgedRequestsPerEpoch;
    }

    private LogSession Session => _log.Session;

    private uint HeartbeatMs => Session.Identity.Anchor.Configuration.HeartbeatMs;

    private ulong NextHeartbeatMs => Session.LastTimeMs + HeartbeatMs;

    /// <summary>Reports that this process now leads, together with the newest record.</summary>
    public void AnnounceLead()
    {
        _report.Metrics.Leads();
        AnnounceEpoch();
    }

    /// <summary>
    /// Publishes the unfinished epoch if there is one, and then makes and publishes the next epoch if it is due. While that epoch is
    /// committed and published, the writer already reads the updates of the following epoch and computes their labels. Returns true if the
    /// following epoch must begin at once. This is so if more updates wait than one epoch takes, or if the parameter
    /// <paramref name="behind"/> is true.
    /// </summary>
    public async Task<bool> StepAsync(bool behind, CancellationToken stop)
    {
        // Each call starts one trace, even if no epoch is due. Updates that are read in advance appear in the trace of the epoch that is
        // being made meanwhile.
        using Activity? span = _report.Metrics.StartEpoch();
        if (Session.Unfinished is not null)
        {
            await FinishAsync(refused: 0, Stopwatch.GetTimestamp(), new EpochTimes(_report.Metrics), stop);
        }
        var times = new EpochTimes(_report.Metrics);
        ulong now;
        using (times.Measure(EpochStep.Check))
        {
            if (!ClocksAgree(await _log.Store.ReadClockAsync(stop), out now))
            {
                return false;
            }
            await _log.CheckHeadAsync(stop);
        }
        await _periods.PrepareAsync(now, stop);
        if (_periods.IsSwitchDue(now) && await _periods.CompleteAsync(stop) is int copies)
        {
            await SwitchAsync(copies, now, times, stop);
            return End(now, more: true);
        }
        bool committed = false;
        bool more = false;
        ReadUpdates updates = await _updates.ReadAsync(times, stop);
        if (updates.Pending.Items > 0 || now >= NextHeartbeatMs)
        {
            (int refused, more) = await CommitAsync(updates, now, stop);
            if (Session.Unfinished is not null)
            {
                committed = true;
                await FinishAsync(refused, updates.Start, updates.Times, stop);
            }
        }
        if (!more && !updates.Pending.More && (committed || updates.Pending.Items == 0))
        {
            _report.Metrics.AllPublished(updates.Start);
        }
        return End(now, committed && (behind || more));
    }

    /// <summary>
    /// Does a small piece of the work for periods. The caller may call this at any time between epochs. Returns false if there was nothing
    /// to do.
    /// </summary>
    public Task<bool> WorkAsync(CancellationToken cancellationToken) => _periods.WorkAsync(cancellationToken);

    /// <summary>
    /// Reads in advance the updates that were accepted so far for the next epoch (the method <see cref="UpdateReader.ContinueAsync"/>).
    /// </summary>
    public Task ReadAheadAsync(CancellationToken cancellationToken) => _updates.ContinueAsync(cancellationToken);

    public ValueTask DisposeAsync() => _updates.DisposeAsync();

    private void AnnounceEpoch() => _report.Newest(Session.LastTimeMs, HeartbeatMs);

    // Reports that a step succeeded. Returns the parameter `more`, which says whether the next epoch must begin at once.
    private bool End(ulong now, bool more)
    {
        _log.Keeper.Progressed();
        Session.OfferSnapshot();
        AnnounceEpoch();
        if (Session.LastTimeMs > now + Session.Identity.Anchor.Configuration.MaxAheadMs)
        {
            // The last record's time is too far in the future. Every client refuses the record until that time has come, so an operator
            // must know.
            _report.Hold("The last record is from the future.");
        }
        else
        {
            _report.Progress(Session.Last.Epoch);
        }
        return more;
    }

    private bool ClocksAgree(DateTimeOffset databaseClock, out ulong now)
    {
        string? problem = _clocks.Check(databaseClock, out DateTimeOffset wall);
        now = (ulong)wall.ToUnixTimeMilliseconds();
        _report.Clocks(problem);
        return problem is null;
    }

    // Makes an epoch of the updates and commits it. Returns the number of refused updates, and whether more updates wait than the epoch
    // took. If the epoch is not committed, the session stays unchanged.
    private async Task<(int Refused, bool More)> CommitAsync(ReadUpdates updates, ulong nowMs, CancellationToken stop)
    {
        ErasurePlan erasures;
        CopiedVersions copied;
        FreedUsernames freed;
        using (updates.Times.Measure(EpochStep.Read))
        {
            erasures = await ErasurePlanner.PlanAsync(Session, _log.Store, _periods.LeftUsers, updates.Pending.Requests, stop);
            updates =
                updates with { Pending = updates.Pending.Without(erasures.Waiting, more: true).Without(erasures.Searched, more: false) };
            if (erasures.Searched.Count > 0 && updates.Pending.Items == 0 && nowMs < NextHeartbeatMs)
            {
                // All updates wait for a search in ended periods. No epoch is made, because it would decide no request.
                return (0, More: false);
            }
            await _periods.TakeOutAsync(erasures.Leaving, stop);
            copied = await CopiedVersions.ReadAsync(Session, _log.Store, updates.Pending.Requests, stop);
            freed = await FreedUsernames.ReadAsync(Session, _log.Store, updates.Pending.Requests, stop);
        }
        using EpochDraft draft = _maker.Make(Session, updates.Pending, erasures, copied, freed, nowMs, updates.Times);
        return await TryCommitAsync(draft, updates.Times) ? (draft.Refused, draft.Updates.More) : (0, More: false);
    }

    // Commits a draft and returns whether it was committed. If so, it becomes the session's unfinished epoch.
    private async Task<bool> TryCommitAsync(EpochDraft draft, EpochTimes times)
    {
        FailPoints.Hit(FailPoints.Apply);
        _log.Keeper.ThrowUnlessHeld();
        if (draft.Commit.Switch is null)
        {
            _updates.StartNext(draft.Updates);
        }
        else
        {
            // The updates read in advance are dropped, because their labels were computed with the secrets of the ending period.
            await _updates.DropAsync();
        }
        bool committed = false;
        try
        {
            using EpochTimes.Timer commit = times.Measure(EpochStep.Commit);
            committed = await _committer.CommitAsync(draft.Commit);
        }
        finally
        {
            if (!committed)
            {
                await _updates.DropAsync();
            }
        }
        if (!committed)
        {
            return false;
        }
        FailPoints.Hit(FailPoints.Commit);
        draft.Erasures.EraseFrom(Session.Directory);
        draft.Staged.Commit();
        Session.Advance(draft.Commit);
        Session.Unfinished = new CommittedEpoch(
            new EpochContent(draft.Commit.Epoch, draft.Commit.Leaves,
                draft.Commit.Outcomes)
            { Erasures = draft.Commit.Erasures, Switch = draft.Commit.Switch }, draft.AuditProof);
        return true;
    }

    // Makes and commits the first epoch of the next period. If the commit succeeds, makes that period current and publishes the epoch.
    private async Task SwitchAsync(int copies, ulong nowMs, EpochTimes times, CancellationToken stop)
    {
        long start = Stopwatch.GetTimestamp();
        FailPoints.Hit(FailPoints.PeriodStaged);
        using (EpochDraft draft = await BackgroundThread.RunAsync(() => _maker.MakeSwitch(Session, copies, nowMs, times)))
        {
            if (!await TryCommitAsync(draft, times))
            {
                return;
            }
        }
        FailPoints.Hit(FailPoints.PeriodSwitch);
        _periods.Switched();
        await FinishAsync(refused: 0, start, times, stop);
    }

    private async Task FinishAsync(int refused, long start, EpochTimes times, CancellationToken stop)
    {
        int published = Session.Unfinished!.Content.Outcomes.Count(outcome => outcome.Result is ItemResult.Leaf);
        await _publisher.PublishAsync(times, stop);
        TimeSpan elapsed = Stopwatch.GetElapsedTime(start);
        _report.Metrics.Published(published, refused, elapsed.TotalSeconds);
        try
        {
            using (times.Measure(EpochStep.Purge))
            {
                await _log.Store.PurgeRequestsAsync(_log.Lease, _purgedRequestsPerEpoch, stop);
            }
        }
        finally
        {
            _report.Log.EpochPublished(Session.Last.Epoch, published, refused, elapsed.TotalMilliseconds, times.DatabaseSeconds * 1000,
                times.Seconds * 1000, times);
        }
    }
}
