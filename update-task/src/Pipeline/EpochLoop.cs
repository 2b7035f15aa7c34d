using System.Diagnostics;
using Microsoft.Extensions.Options;
using Optiks.Storage;
using Optiks.UpdateTask.Hosting;
using Optiks.UpdateTask.Leasing;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Telemetry;
using Optiks.UpdateTask.Time;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// EpochLoop makes one epoch after the other while the lease lasts. What fails for a while (database, disk, lock) is tried again, the same epoch first; at most one committed epoch is
/// unpublished at any time.
/// </summary>
internal sealed class EpochLoop
{
    private const string ClockProblem = "The clocks disagree: nothing is published.";

    // Until the next epoch is due, what was accepted is read after half of the time that is left, and so on down to this.
    private static readonly TimeSpan s_shortestRest = TimeSpan.FromMilliseconds(100);

    private readonly EpochOptions _options;
    private readonly EpochPublisher _publisher;
    private readonly ClockGuard _clocks;
    private readonly TaskState _state;
    private readonly TaskMetrics _metrics;
    private readonly TimeProvider _time;
    private readonly ILogger<EpochLoop> _logger;

    public EpochLoop(
        IOptions<EpochOptions> options,
        EpochPublisher publisher,
        ClockGuard clocks,
        TaskState state,
        TaskMetrics metrics,
        TimeProvider time,
        ILogger<EpochLoop> logger)
    {
        _options = options.Value;
        _publisher = publisher;
        _clocks = clocks;
        _state = state;
        _metrics = metrics;
        _time = time;
        _logger = logger;
    }

    /// <summary>RunAsync returns when <paramref name="stop"/> is cancelled, after the step under way. <see cref="StorageFencedException"/> or
    /// <see cref="LeaseLostException"/>: another task is the writer now.</summary>
    public async Task RunAsync(Lead lead, CancellationToken stop)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stop, lead.Keeper.Lost);
        await using UpdateReader reader = ReaderOf(lead);
        bool behind = false;
        while (!stop.IsCancellationRequested)
        {
            lead.Keeper.ThrowUnlessHeld();
            long start = _time.GetTimestamp();
            bool hasNext = await TryStepAsync(lead, reader, behind, stop);
            behind = Rest(start) <= TimeSpan.Zero;
            if (!behind && !hasNext)
            {
                await RestAsync(reader, start, ended.Token);
            }
        }
    }

    /// <summary>ReaderOf makes what <see cref="StepAsync"/> reads from.</summary>
    internal UpdateReader ReaderOf(Lead lead) => new(lead.Store, lead.Session.Directory, _options, _metrics);

    /// <summary>
    /// StepAsync publishes the unfinished epoch if there is one, and then the next if it is due. While it is committed and published, the updates of the epoch after it are read and
    /// their labels computed. True: with more updates waiting than one epoch takes, or <paramref name="behind"/>, that epoch begins at once.
    /// </summary>
    internal async Task<bool> StepAsync(Lead lead, UpdateReader reader, bool behind, CancellationToken stop)
    {
        LogSession session = lead.Session;
        // One trace a step, also when nothing is due. What is read ahead is in that of the epoch before.
        using Activity? span = _metrics.StartEpoch();
        if (session.Unfinished is not null)
        {
            await FinishAsync(lead, refused: 0, Stopwatch.GetTimestamp(), new EpochTimes(_metrics), stop);
        }
        var times = new EpochTimes(_metrics);
        ulong now;
        using (times.Measure(EpochStep.Check))
        {
            if (!ClocksAgree(await lead.Store.ReadClockAsync(stop), out now))
            {
                return false;
            }
            await _publisher.CheckHeadAsync(lead, stop);
        }
        ReadUpdates updates = await reader.ReadAsync(times, stop);
        bool committed = false;
        if (updates.Pending.Items > 0 || now >= session.LastTimeMs + session.Identity.Anchor.Configuration.HeartbeatMs)
        {
            int refused = await CommitAsync(lead, reader, updates, now);
            if (session.Unfinished is not null)
            {
                committed = true;
                await FinishAsync(lead, refused, updates.Start, updates.Times, stop);
            }
        }
        session.OfferSnapshot();
        if (session.LastTimeMs > now + session.Identity.Anchor.Configuration.MaxAheadMs)
        {
            // Every client refuses it, until its time has come.
            _state.Hold("The last record is from the future.");
        }
        else
        {
            _state.Progress(session.Last.Epoch);
        }
        return committed && (behind || updates.Pending.More);
    }

    private TimeSpan Rest(long start) => _options.EpochInterval - _time.GetElapsedTime(start);

    // Until the interval that began at start has gone by, or it is ended, which is looked at by the caller.
    private async Task RestAsync(UpdateReader reader, long start, CancellationToken ended)
    {
        while (!ended.IsCancellationRequested && Rest(start) is { Ticks: > 0 } rest)
        {
            bool readsOn = rest > s_shortestRest;
            await Task.Delay(readsOn ? rest / 2 : rest, _time, ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (readsOn && !ended.IsCancellationRequested)
            {
                await reader.GoOnAsync(ended);
            }
        }
    }

    private async Task<bool> TryStepAsync(Lead lead, UpdateReader reader, bool behind, CancellationToken stop)
    {
        try
        {
            return await StepAsync(lead, reader, behind, stop);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // Nothing was under way that a shutdown may not interrupt.
        }
        catch (StorageUnavailableException e)
        {
            _metrics.Failed();
            _logger.DatabaseUnavailable(e);
            _state.Hold("The database is unavailable.");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // A full or failing disk under the board: epochs wait, accepting goes on.
            _metrics.Failed();
            _logger.EpochFailed(e);
            _state.Hold("The board's files cannot be written.");
        }
        return false;
    }

    private bool ClocksAgree(DateTimeOffset databaseClock, out ulong now)
    {
        string? problem = _clocks.Check(databaseClock, out DateTimeOffset wall);
        now = (ulong)wall.ToUnixTimeMilliseconds();
        bool alarmed = _state.Current.Problem is { } held && held == ClockProblem;
        if (problem is null)
        {
            if (alarmed)
            {
                _logger.ClockAlarmEnded();
            }
            return true;
        }
        if (!alarmed)
        {
            _logger.ClockAlarm(problem);
        }
        _state.Hold(ClockProblem);
        return false;
    }

    // Returns the number of refused updates. Leaves the session as it was when the commit did not happen.
    private async Task<int> CommitAsync(Lead lead, UpdateReader reader, ReadUpdates updates, ulong nowMs)
    {
        LogSession session = lead.Session;
        using (EpochDraft draft = EpochMaker.Make(session, updates.Pending.Requests, nowMs, updates.Times))
        {
            FailPoints.Hit(FailPoints.Apply);
            lead.Keeper.ThrowUnlessHeld();
            reader.StartNext(updates.Pending);
            bool committed = false;
            try
            {
                using (updates.Times.Measure(EpochStep.Commit))
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
                    await reader.DropAsync();
                }
            }
            if (!committed)
            {
                return 0;
            }
            FailPoints.Hit(FailPoints.Commit);
            draft.Staged.Commit();
            session.Last = draft.Commit.Epoch;
            session.Unfinished = new CommittedEpoch(new EpochContent(draft.Commit.Epoch, draft.Commit.Leaves, draft.Commit.Outcomes), draft.AuditProof);
            return draft.Refused;
        }
    }

    // Whether an epoch was committed whose commit lost its connection. Nothing else may be done before the database has told.
    private async Task<bool> ResolveAsync(Lead lead, EpochRow epoch)
    {
        _logger.CommitUnknown(epoch.Epoch);
        while (true)
        {
            lead.Keeper.ThrowUnlessHeld();
            try
            {
                EpochRow? row = await lead.Store.TryReadEpochAsync(epoch.Epoch, CancellationToken.None);
                return row is null
                    ? false
                    : row.RecordHash.Span.SequenceEqual(epoch.RecordHash.Span)
                        ? true
                        : throw new StorageFencedException($"Another task has committed epoch {epoch.Epoch}.");
            }
            catch (StorageUnavailableException e)
            {
                _logger.DatabaseUnavailable(e);
                _state.Hold("The database is unavailable.");
                await Task.Delay(_options.EpochInterval, _time, lead.Keeper.Lost).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    private async Task FinishAsync(Lead lead, int refused, long start, EpochTimes times, CancellationToken stop)
    {
        int published = lead.Session.Unfinished!.Content.Leaves.Rows.Length;
        await _publisher.PublishAsync(lead, times, stop);
        TimeSpan elapsed = Stopwatch.GetElapsedTime(start);
        _metrics.Published(published, refused, elapsed.TotalSeconds);
        try
        {
            using (times.Measure(EpochStep.Purge))
            {
                await lead.Store.PurgeRequestsAsync(lead.Lease, _options.PurgedRequestsPerEpoch, stop);
            }
        }
        finally
        {
            _logger.EpochPublished(lead.Session.Last.Epoch, published, refused, elapsed.TotalMilliseconds, times.DatabaseSeconds * 1000, times.Seconds * 1000, times);
        }
    }
}
