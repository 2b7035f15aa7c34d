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
/// EpochLoop makes one epoch after the other while the lease lasts. What fails for a while (database, disk, lock) is tried again, the same epoch first; at most one committed epoch is
/// unpublished at any time.
/// </summary>
internal sealed class EpochLoop
{
    // Until the next epoch is due, what was accepted is read after half of the time that is left, and so on down to this.
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

    /// <summary>RunAsync returns when <paramref name="stop"/> is cancelled, after the step under way. <see cref="StorageFencedException"/> or
    /// <see cref="LeaseLostException"/>: another task is the writer now.</summary>
    public async Task RunAsync(IPipelineStore store, LeaseKeeper keeper, LogSession session, CancellationToken stop)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stop, keeper.Lost);
        await using UpdateReader updates = ReaderOf(store, session);
        var lead = new Lead(store, keeper, session, updates, PeriodsOf());
        bool behind = false;
        _report.Metrics.Leads();
        Tell(session);
        keeper.Watch(_options.EpochInterval + _options.StallTimeout);
        while (!stop.IsCancellationRequested)
        {
            keeper.ThrowUnlessHeld();
            long start = _time.GetTimestamp();
            bool hasNext = await TryStepAsync(lead, behind, ended.Token);
            behind = Rest(start) <= TimeSpan.Zero;
            if (!behind && !hasNext)
            {
                await RestAsync(lead, start, ended.Token);
            }
            else
            {
                // However many updates wait: the next period gets there.
                _ = await TryWorkAsync(lead, ended.Token);
            }
        }
        // What a shutdown still saves may take its time.
        keeper.Watch(Timeout.InfiniteTimeSpan);
    }

    /// <summary>ReaderOf makes what a <see cref="Lead"/> reads updates with.</summary>
    internal UpdateReader ReaderOf(IPipelineStore store, LogSession session) => new(store, session, _options, _report.Metrics);

    /// <summary>PeriodsOf makes what a <see cref="Lead"/> has for its periods.</summary>
    internal PeriodKeeper PeriodsOf() => new(_publisher, _periods, _report);

    /// <summary>
    /// StepAsync publishes the unfinished epoch if there is one, and then the next if it is due. While it is committed and published, the updates of the epoch after it are read and
    /// their labels computed. True: with more updates waiting than one epoch takes, or <paramref name="behind"/>, that epoch begins at once.
    /// </summary>
    internal async Task<bool> StepAsync(Lead lead, bool behind, CancellationToken stop)
    {
        LogSession session = lead.Session;
        // One trace a step, also when nothing is due. What is read ahead is in that of the epoch before.
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

    private void Tell(LogSession session) => _report.Newest(session.LastTimeMs, session.Identity.Anchor.Configuration.HeartbeatMs);

    // Of a step that went well.
    private bool End(Lead lead, ulong now, bool more)
    {
        LogSession session = lead.Session;
        lead.Keeper.Progressed();
        session.OfferSnapshot();
        Tell(session);
        if (session.LastTimeMs > now + session.Identity.Anchor.Configuration.MaxAheadMs)
        {
            // Every client refuses it, until its time has come.
            _report.Hold("The last record is from the future.");
        }
        else
        {
            _report.Progress(session.Last.Epoch);
        }
        return more;
    }

    private TimeSpan Rest(long start) => _options.EpochInterval - _time.GetElapsedTime(start);

    // Until the interval that began at start has gone by, or it is ended, which is looked at by the caller.
    private async Task RestAsync(Lead lead, long start, CancellationToken ended)
    {
        while (!ended.IsCancellationRequested && Rest(start) is { Ticks: > 0 } rest)
        {
            bool readsOn = rest > s_shortestRest;
            TimeSpan left = readsOn ? rest / 2 : rest;
            await WorkAsync(lead, start, rest - left, ended);
            if (Rest(start) - (rest - left) is { Ticks: > 0 } pause)
            {
                await Task.Delay(pause, _time, ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
            if (readsOn && !ended.IsCancellationRequested)
            {
                await lead.Updates.GoOnAsync(ended);
            }
        }
    }

    // What there is to do for periods, until no more time is left than this; the last piece says how long one takes. As long as it took nothing is done for them: the database, readers of what is staged
    // and whoever is answered have processors and disk then.
    private async Task WorkAsync(Lead lead, long start, TimeSpan left, CancellationToken ended)
    {
        TimeSpan piece = TimeSpan.Zero;
        while (!ended.IsCancellationRequested && Rest(start) - piece > left)
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

    // False: it failed, for a reason that may pass.
    private async Task<bool> TryAsync(Func<Task<bool>> step, CancellationToken stop)
    {
        try
        {
            return await step();
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // Nothing was under way that a shutdown may not interrupt.
        }
        catch (StorageUnavailableException e)
        {
            _report.Metrics.Failed();
            _report.DatabaseUnavailable(e);
        }
        catch (SignerUnavailableException e)
        {
            // The same epoch is signed when the token is back.
            _report.Metrics.Failed();
            _report.EpochFailed(e, "A token's key cannot be used.");
        }
        catch (SecretsException e)
        {
            // The task had every key when it began to lead: an operator is changing a file or a token.
            _report.Metrics.Failed();
            _report.EpochFailed(e, "A key cannot be used.");
        }
        catch (ObjectStoreException e)
        {
            // Nothing is signed whose mark the bucket does not have.
            _report.Metrics.Failed();
            _report.EpochFailed(e, "The bucket does not take the high-water mark.");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // A full or failing disk under the board: epochs wait, accepting goes on.
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

    // Returns the number of refused updates, and whether more wait than the epoch took. Leaves the session as it was when the commit did not happen.
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
                // A search takes its time: no epoch is made that decides nothing.
                return (0, More: false);
            }
            await lead.Periods.TakeOutAsync(lead, erasures.Leaving, stop);
            copied = await CopiedVersions.ReadAsync(session, lead.Store, updates.Pending.Requests, stop);
            freed = await FreedUsernames.ReadAsync(session, lead.Store, updates.Pending.Requests, stop);
        }
        using EpochDraft draft = _maker.Make(session, updates.Pending, erasures, copied, freed, nowMs, updates.Times);
        return await CommitAsync(lead, draft, updates.Times) ? (draft.Refused, draft.Updates.More) : (0, More: false);
    }

    // Whether it was committed.
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
            // Labels of the period that ends.
            await lead.Updates.DropAsync();
        }
        bool committed = false;
        try
        {
            using (times.Measure(EpochStep.Commit))
            {
                // Not cancelled by a shutdown: its result would be unknown.
                CommitResult result = await lead.Store.CommitEpochAsync(lead.Lease, draft.Commit, CancellationToken.None);
                committed = result switch
                {
                    CommitResult.Committed => true,
                    CommitResult.Fenced => throw new StorageFencedException($"The head moved on before epoch {draft.Commit.Epoch.Epoch} was committed."),
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

    // The first epoch of the next period, if it is committed.
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

    // Whether an epoch was committed whose commit lost its connection. Nothing else may be done before the database has told.
    private async Task<bool> ResolveAsync(Lead lead, EpochRow epoch)
    {
        _report.Log.CommitUnknown(epoch.Epoch);
        while (true)
        {
            lead.Keeper.ThrowUnlessHeld();
            try
            {
                EpochRow? row = await lead.Store.TryReadEpochAsync(epoch.Epoch, CancellationToken.None);
                // What can be read may be on one server alone, which a failover would leave behind. Whatever confirms a later commit has it.
                if (row is not null && !await lead.Store.RenewLeaseAsync(lead.Lease, _options.LeaseDuration, CancellationToken.None))
                {
                    throw new StorageFencedException($"The lease was lost before it was known what became of epoch {epoch.Epoch}.");
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
