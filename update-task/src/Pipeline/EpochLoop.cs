using System.Diagnostics;
using Microsoft.Extensions.Options;
using Optiks.Secrets;
using Optiks.Storage;
using Optiks.UpdateTask.Buckets;
using Optiks.UpdateTask.Leasing;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Periods;
using Optiks.UpdateTask.Rules;
using Optiks.UpdateTask.Telemetry;
using Optiks.UpdateTask.Time;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Makes one epoch after another while the lease lasts. After a temporary failure (database, disk, lock) it retries, beginning with the
/// same epoch. At any time at most one committed epoch is unpublished.
/// </summary>
internal sealed class EpochLoop
{
    // Until the next epoch is due, the task reads newly accepted updates repeatedly. Each time it waits for half of the remaining time,
    // until no more than this time remains.
    private static readonly TimeSpan s_shortestRest = TimeSpan.FromMilliseconds(100);

    private readonly EpochOptions _options;
    private readonly IOptions<PeriodOptions> _periods;
    private readonly EpochMaker _maker;
    private readonly EpochPublisher _publisher;
    private readonly ClockGuard _clocks;
    private readonly TaskReport _report;
    private readonly TimeProvider _time;

    public EpochLoop(IOptions<EpochOptions> options, IOptions<PeriodOptions> periods, EpochMaker maker, EpochPublisher publisher, ClockGuard clocks, TaskReport report, TimeProvider time)
    {
        _options = options.Value;
        _periods = periods;
        _maker = maker;
        _publisher = publisher;
        _clocks = clocks;
        _report = report;
        _time = time;
    }

    /// <summary>
    /// Makes epochs until <paramref name="stop"/> is cancelled, and returns after the current step. Throws
    /// <see cref="StorageFencedException"/> or <see cref="LeaseLostException"/> if another task is the writer now.
    /// </summary>
    public async Task RunAsync(IPipelineStore store, LeaseKeeper keeper, LogSession session, CancellationToken stop)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stop, keeper.Lost);
        await using UpdateReader updates = CreateReader(store, session);
        var lead = new Lead(store, keeper, session, updates, CreatePeriodKeeper());
        bool behind = false;
        _report.Metrics.Leads();
        AnnounceEpoch(session);
        keeper.Watch(_options.EpochInterval + _options.StallTimeout);
        while (!stop.IsCancellationRequested)
        {
            keeper.ThrowUnlessHeld();
            long start = _time.GetTimestamp();
            bool hasNext = await TryStepAsync(lead, behind, ended.Token);
            behind = TimeUntilNext(start) <= TimeSpan.Zero;
            if (!behind && !hasNext)
            {
                await RestAsync(lead, start, ended.Token);
            }
            else
            {
                // The preparation of the next period must progress however many updates wait.
                _ = await TryWorkAsync(lead, ended.Token);
            }
        }
        // The watch ends here, because a shutdown may take longer than the watch allows to save the snapshot.
        keeper.Watch(Timeout.InfiniteTimeSpan);
    }

    /// <summary>Makes the reader of updates for a <see cref="Lead"/>.</summary>
    internal UpdateReader CreateReader(IPipelineStore store, LogSession session) => new(store, session, _options, _report.Metrics);

    /// <summary>Makes the keeper of periods for a <see cref="Lead"/>.</summary>
    internal PeriodKeeper CreatePeriodKeeper() => new(_publisher, _periods, _report);

    /// <summary>
    /// Publishes the unfinished epoch if there is one, and then the next epoch if it is due. While that epoch is committed and published,
    /// the loop reads the updates of the epoch after it and computes their labels. Returns true if the next epoch must begin at once,
    /// because more updates wait than one epoch takes or <paramref name="behind"/> is true.
    /// </summary>
    internal async Task<bool> StepAsync(Lead lead, bool behind, CancellationToken stop)
    {
        LogSession session = lead.Session;
        // Each step has one trace, even if no epoch is due. Updates that are read in advance belong to the trace of the epoch before.
        using Activity? span = _report.Metrics.StartEpoch();
        if (session.Unfinished is not null)
        {
            await FinishAsync(lead, refused: 0, Stopwatch.GetTimestamp(), new EpochTimes(_report.Metrics), stop);
        }
        var times = new EpochTimes(_report.Metrics);
        ulong now;
        using (times.Measure(EpochStep.Check))
        {
            if (!ClocksAgree(await lead.Store.ReadClockAsync(stop), out now))
            {
                return false;
            }
            await _publisher.CheckHeadAsync(lead, stop);
        }
        bool committed = false;
        bool more = false;
        if (await lead.Periods.IsSwitchDueAsync(lead, now, stop) && await lead.Periods.CompleteAsync(lead, stop) is int copies)
        {
            await SwitchAsync(lead, copies, now, times, stop);
            return End(lead, now, more: true);
        }
        ReadUpdates updates = await lead.Updates.ReadAsync(times, stop);
        if (updates.Pending.Items > 0 || now >= NextHeartbeatMs(session))
        {
            (int refused, more) = await CommitAsync(lead, updates, now, stop);
            if (session.Unfinished is not null)
            {
                committed = true;
                await FinishAsync(lead, refused, updates.Start, updates.Times, stop);
            }
        }
        if (!more && !updates.Pending.More && (committed || updates.Pending.Items == 0))
        {
            _report.Metrics.AllPublished(updates.Start);
        }
        return End(lead, now, committed && (behind || more));
    }

    private static ulong NextHeartbeatMs(LogSession session) => session.LastTimeMs + session.Identity.Anchor.Configuration.HeartbeatMs;

    private void AnnounceEpoch(LogSession session) => _report.Newest(session.LastTimeMs, session.Identity.Anchor.Configuration.HeartbeatMs);

    // Reports the end of a step that succeeded, and returns whether the next epoch must begin at once.
    private bool End(Lead lead, ulong now, bool more)
    {
        LogSession session = lead.Session;
        lead.Keeper.Progressed();
        session.OfferSnapshot();
        AnnounceEpoch(session);
        if (session.LastTimeMs > now + session.Identity.Anchor.Configuration.MaxAheadMs)
        {
            // Every client refuses a record whose time is in the future, until that time has come.
            _report.Hold("The last record is from the future.");
        }
        else
        {
            _report.Progress(session.Last.Epoch);
        }
        return more;
    }

    private TimeSpan TimeUntilNext(long start) => _options.EpochInterval - _time.GetElapsedTime(start);

    // Rests until the interval that began at start is over, or until the token is cancelled. The caller must check whether the token was
    // cancelled.
    private async Task RestAsync(Lead lead, long start, CancellationToken ended)
    {
        while (!ended.IsCancellationRequested && TimeUntilNext(start) is { Ticks: > 0 } rest)
        {
            bool readsOn = rest > s_shortestRest;
            TimeSpan left = readsOn ? rest / 2 : rest;
            await WorkAsync(lead, start, rest - left, ended);
            if (TimeUntilNext(start) - (rest - left) is { Ticks: > 0 } pause)
            {
                await Task.Delay(pause, _time, ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
            if (readsOn && !ended.IsCancellationRequested)
            {
                await lead.Updates.ContinueAsync(ended);
            }
        }
    }

    // Does work for periods while more time remains until the next epoch than the argument says. It begins no piece that may not fit: the
    // duration of the last piece predicts the duration of the next piece. After each piece it pauses for as long as the piece took. The
    // pauses leave processors and disk to the database, to readers of the staged copies and to requests.
    private async Task WorkAsync(Lead lead, long start, TimeSpan left, CancellationToken ended)
    {
        TimeSpan piece = TimeSpan.Zero;
        while (!ended.IsCancellationRequested && TimeUntilNext(start) - piece > left)
        {
            long began = _time.GetTimestamp();
            if (!await TryWorkAsync(lead, ended))
            {
                return;
            }
            piece = _time.GetElapsedTime(began);
            await Task.Delay(piece, _time, ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private async Task<bool> TryWorkAsync(Lead lead, CancellationToken ended) => await TryAsync(() => lead.Periods.WorkAsync(lead, ended), ended);

    private Task<bool> TryStepAsync(Lead lead, bool behind, CancellationToken stop) => TryAsync(() => StepAsync(lead, behind, stop), stop);

    // Runs a step and returns its result. Returns false after a failure that may be temporary.
    private async Task<bool> TryAsync(Func<Task<bool>> step, CancellationToken stop)
    {
        try
        {
            return await step();
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // The cancellation is safe: steps that a shutdown must not interrupt do not use this token.
        }
        catch (StorageUnavailableException e)
        {
            _report.Metrics.Failed();
            _report.DatabaseUnavailable(e);
        }
        catch (SignerUnavailableException e)
        {
            // The log key's token is not available. The loop signs the same epoch when it is available again.
            _report.Metrics.Failed();
            _report.EpochFailed(e, "A token's key cannot be used.");
        }
        catch (SecretsException e)
        {
            // The task had every key when it began to lead, so an operator must be changing a file or a token.
            _report.Metrics.Failed();
            _report.EpochFailed(e, "A key cannot be used.");
        }
        catch (ObjectStoreException e)
        {
            // The bucket fails. The epoch waits, because no epoch is signed before the bucket has its mark.
            _report.Metrics.Failed();
            _report.EpochFailed(e, "The bucket did not accept the high-water mark.");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The board's disk is full or failing: epochs wait, but updates are still accepted.
            _report.Metrics.Failed();
            _report.EpochFailed(e, "The board's files cannot be written.");
        }
        return false;
    }

    private bool ClocksAgree(DateTimeOffset databaseClock, out ulong now)
    {
        string? problem = _clocks.Check(databaseClock, out DateTimeOffset wall);
        now = (ulong)wall.ToUnixTimeMilliseconds();
        _report.Clocks(problem);
        return problem is null;
    }

    // Returns the number of refused updates, and whether more wait than the epoch took. If the commit does not happen, the session stays
    // unchanged.
    private async Task<(int Refused, bool More)> CommitAsync(Lead lead, ReadUpdates updates, ulong nowMs, CancellationToken stop)
    {
        LogSession session = lead.Session;
        ErasurePlan erasures;
        CopiedVersions copied;
        FreedUsernames freed;
        using (updates.Times.Measure(EpochStep.Read))
        {
            erasures = await ErasurePlanner.PlanAsync(session, lead.Store, lead.Periods.LeftUsers, updates.Pending.Requests, stop);
            updates = updates with { Pending = updates.Pending.Without(erasures.Waiting, more: true).Without(erasures.Searched, more: false) };
            if (erasures.Searched.Count > 0 && updates.Pending.Items == 0 && nowMs < NextHeartbeatMs(session))
            {
                // All updates wait for a search, so no epoch is made: it would decide nothing.
                return (0, More: false);
            }
            await lead.Periods.TakeOutAsync(lead, erasures.Leaving, stop);
            copied = await CopiedVersions.ReadAsync(session, lead.Store, updates.Pending.Requests, stop);
            freed = await FreedUsernames.ReadAsync(session, lead.Store, updates.Pending.Requests, stop);
        }
        using EpochDraft draft = _maker.Make(session, updates.Pending, erasures, copied, freed, nowMs, updates.Times);
        return await CommitAsync(lead, draft, updates.Times) ? (draft.Refused, draft.Updates.More) : (0, More: false);
    }

    // Returns whether the epoch was committed.
    private async Task<bool> CommitAsync(Lead lead, EpochDraft draft, EpochTimes times)
    {
        LogSession session = lead.Session;
        FailPoints.Hit(FailPoints.Apply);
        lead.Keeper.ThrowUnlessHeld();
        if (draft.Commit.Switch is null)
        {
            lead.Updates.StartNext(draft.Updates);
        }
        else
        {
            // The updates read in advance are dropped, because their labels belong to the ending period.
            await lead.Updates.DropAsync();
        }
        bool committed = false;
        try
        {
            using (times.Measure(EpochStep.Commit))
            {
                // A shutdown does not cancel the commit, because the commit's result would then be unknown.
                CommitResult result = await lead.Store.CommitEpochAsync(lead.Lease, draft.Commit, CancellationToken.None);
                committed = result switch
                {
                    CommitResult.Committed => true,
                    CommitResult.Fenced => throw new StorageFencedException($"The head changed before epoch {draft.Commit.Epoch.Epoch} was committed."),
                    _ => await ResolveAsync(lead, draft.Commit.Epoch),
                };
            }
        }
        finally
        {
            if (!committed)
            {
                await lead.Updates.DropAsync();
            }
        }
        if (!committed)
        {
            return false;
        }
        FailPoints.Hit(FailPoints.Commit);
        draft.Erasures.EraseFrom(session.Directory);
        draft.Staged.Commit();
        session.Advance(draft.Commit);
        session.Unfinished = new CommittedEpoch(
            new EpochContent(draft.Commit.Epoch, draft.Commit.Leaves, draft.Commit.Outcomes) { Erasures = draft.Commit.Erasures, Switch = draft.Commit.Switch }, draft.AuditProof);
        return true;
    }

    // Makes the first epoch of the next period, if its commit succeeds.
    private async Task SwitchAsync(Lead lead, int copies, ulong nowMs, EpochTimes times, CancellationToken stop)
    {
        long start = Stopwatch.GetTimestamp();
        FailPoints.Hit(FailPoints.PeriodStaged);
        using (EpochDraft draft = await BackgroundThread.RunAsync(() => _maker.MakeSwitch(lead.Session, copies, nowMs, times)))
        {
            if (!await CommitAsync(lead, draft, times))
            {
                return;
            }
        }
        FailPoints.Hit(FailPoints.PeriodSwitch);
        lead.Periods.Switched(lead);
        await FinishAsync(lead, refused: 0, start, times, stop);
    }

    // Finds out whether an epoch was committed after its commit lost the connection. The task may do nothing else before the database has
    // answered.
    private async Task<bool> ResolveAsync(Lead lead, EpochRow epoch)
    {
        _report.Log.CommitUnknown(epoch.Epoch);
        while (true)
        {
            lead.Keeper.ThrowUnlessHeld();
            try
            {
                EpochRow? row = await lead.Store.TryReadEpochAsync(epoch.Epoch, CancellationToken.None);
                // The row may exist on one server only, and a failover would lose it. The lease is renewed, because a later confirmed
                // commit shows that this commit is safe as well.
                if (row is not null && !await lead.Store.RenewLeaseAsync(lead.Lease, _options.LeaseDuration, CancellationToken.None))
                {
                    throw new StorageFencedException($"The lease was lost before it was known whether epoch {epoch.Epoch} was committed.");
                }
                return row is null
                    ? false
                    : row.RecordHash.Span.SequenceEqual(epoch.RecordHash.Span)
                        ? true
                        : throw new StorageFencedException($"Another task has committed epoch {epoch.Epoch}.");
            }
            catch (StorageUnavailableException e)
            {
                _report.DatabaseUnavailable(e);
                await Task.Delay(_options.EpochInterval, _time, lead.Keeper.Lost).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    private async Task FinishAsync(Lead lead, int refused, long start, EpochTimes times, CancellationToken stop)
    {
        int published = lead.Session.Unfinished!.Content.Outcomes.Count(outcome => outcome.Ordinal is not null);
        await _publisher.PublishAsync(lead, times, stop);
        TimeSpan elapsed = Stopwatch.GetElapsedTime(start);
        _report.Metrics.Published(published, refused, elapsed.TotalSeconds);
        try
        {
            using (times.Measure(EpochStep.Purge))
            {
                await lead.Store.PurgeRequestsAsync(lead.Lease, _options.PurgedRequestsPerEpoch, stop);
            }
        }
        finally
        {
            _report.Log.EpochPublished(lead.Session.Last.Epoch, published, refused, elapsed.TotalMilliseconds, times.DatabaseSeconds * 1000, times.Seconds * 1000, times);
        }
    }
}
