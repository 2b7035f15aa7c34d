using System.Diagnostics;
using Microsoft.Extensions.Options;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
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

    private readonly BoardFolder _board;
    private readonly EpochOptions _options;
    private readonly EpochPublisher _publisher;
    private readonly ClockGuard _clocks;
    private readonly TaskState _state;
    private readonly TaskMetrics _metrics;
    private readonly TimeProvider _time;
    private readonly ILogger<EpochLoop> _logger;

    public EpochLoop(
        BoardFolder board,
        IOptions<EpochOptions> options,
        EpochPublisher publisher,
        ClockGuard clocks,
        TaskState state,
        TaskMetrics metrics,
        TimeProvider time,
        ILogger<EpochLoop> logger)
    {
        _board = board;
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
    public async Task RunAsync(IPipelineStore store, LeaseKeeper keeper, LogSession session, CancellationToken stop)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stop, keeper.Lost);
        await using BatchReader batches = ReaderOf(store, session);
        bool behind = false;
        while (!stop.IsCancellationRequested)
        {
            keeper.ThrowUnlessHeld();
            long start = _time.GetTimestamp();
            bool hasNext = await TryStepAsync(store, keeper, session, batches, behind, stop);
            behind = Rest(start) <= TimeSpan.Zero;
            if (!behind && !hasNext)
            {
                await RestAsync(batches, start, ended.Token);
            }
        }
    }

    /// <summary>ReaderOf makes what <see cref="StepAsync"/> reads from.</summary>
    internal BatchReader ReaderOf(IPipelineStore store, LogSession session) => new(store, session.Directory, _options, _metrics);

    /// <summary>
    /// StepAsync publishes the unfinished epoch if there is one, and then the next if it is due. While it is committed and published, the updates of the epoch after it are read and
    /// their labels computed. True: with more updates waiting than one epoch takes, or <paramref name="behind"/>, that epoch begins at once.
    /// </summary>
    internal async Task<bool> StepAsync(IPipelineStore store, LeaseKeeper keeper, LogSession session, BatchReader batches, bool behind, CancellationToken stop)
    {
        // One trace a step, also when nothing is due. What is read ahead is in that of the epoch before.
        using Activity? span = _metrics.StartEpoch();
        if (session.Unfinished is not null)
        {
            await FinishAsync(store, keeper, session, refused: 0, Stopwatch.GetTimestamp(), new EpochTimes(_metrics), stop);
        }
        var times = new EpochTimes(_metrics);
        ulong now;
        using (times.Measure(EpochStep.Check))
        {
            if (!ClocksAgree(await store.ReadClockAsync(stop), out now))
            {
                return false;
            }
            await CheckHeadAsync(store, keeper.Lease, session, stop);
        }
        ReadBatch batch = await batches.ReadAsync(times, stop);
        bool committed = false;
        if (batch.Pending.Items > 0 || now >= session.LastTimeMs + session.Identity.Anchor.Configuration.HeartbeatMs)
        {
            int refused = await CommitAsync(store, keeper, session, batches, batch, now);
            if (session.Unfinished is not null)
            {
                committed = true;
                await FinishAsync(store, keeper, session, refused, batch.Start, batch.Times, stop);
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
        return committed && (behind || batch.Pending.More);
    }

    private TimeSpan Rest(long start) => _options.EpochInterval - _time.GetElapsedTime(start);

    // Until the interval that began at start has gone by, or it is ended, which is looked at by the caller.
    private async Task RestAsync(BatchReader batches, long start, CancellationToken ended)
    {
        while (!ended.IsCancellationRequested && Rest(start) is { Ticks: > 0 } rest)
        {
            bool readsOn = rest > s_shortestRest;
            await Task.Delay(readsOn ? rest / 2 : rest, _time, ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (readsOn && !ended.IsCancellationRequested)
            {
                await batches.GoOnAsync(ended);
            }
        }
    }

    private async Task<bool> TryStepAsync(IPipelineStore store, LeaseKeeper keeper, LogSession session, BatchReader batches, bool behind, CancellationToken stop)
    {
        try
        {
            return await StepAsync(store, keeper, session, batches, behind, stop);
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
        catch (BoardConflictException e)
        {
            throw Rollback.Conflict(e.Message, _board, e);
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

    // An older copy of the database that was put back beneath a running task shows here; a takeover shows as another fence.
    private async Task CheckHeadAsync(IPipelineStore store, Lease lease, LogSession session, CancellationToken stop)
    {
        Head head = await store.ReadHeadAsync(stop);
        if (head.Epoch != session.Last.Epoch || !head.RecordHash.Span.SequenceEqual(session.Last.RecordHash.Span))
        {
            throw head.Fence != lease.Fence && head.Epoch > session.Last.Epoch
                ? new StorageFencedException("Another task has made epochs since.")
                : Rollback.DatabaseBehind($"The database's head is epoch {head.Epoch}, not epoch {session.Last.Epoch} as this task left it.", _board);
        }
        if (head.Fence != lease.Fence || head.Holder != lease.Holder)
        {
            throw new StorageFencedException("Another task holds the lease.");
        }
    }

    // Returns the number of refused updates. Leaves the session as it was when the commit did not happen.
    private async Task<int> CommitAsync(IPipelineStore store, LeaseKeeper keeper, LogSession session, BatchReader batches, ReadBatch batch, ulong nowMs)
    {
        using (EpochDraft draft = EpochMaker.Make(session, batch.Pending.Requests, nowMs, batch.Times))
        {
            FailPoints.Hit(FailPoints.Apply);
            keeper.ThrowUnlessHeld();
            batches.StartAhead(batch.Pending);
            bool committed = false;
            try
            {
                using (batch.Times.Measure(EpochStep.Commit))
                {
                    // Not cancelled by a shutdown: its result would be unknown.
                    CommitResult result = await store.CommitEpochAsync(keeper.Lease, draft.Commit, CancellationToken.None);
                    committed = result switch
                    {
                        CommitResult.Committed => true,
                        CommitResult.Fenced => throw new StorageFencedException($"The head moved on before epoch {draft.Commit.Epoch.Epoch} was committed."),
                        _ => await ResolveAsync(store, keeper, draft.Commit.Epoch),
                    };
                }
            }
            finally
            {
                if (!committed)
                {
                    await batches.DropAsync();
                }
            }
            if (!committed)
            {
                return 0;
            }
            FailPoints.Hit(FailPoints.Commit);
            draft.Staged.Commit();
            session.Last = draft.Commit.Epoch;
            session.Unfinished = new MadeEpoch(new EpochContent(draft.Commit.Epoch, draft.Commit.Leaves, draft.Commit.Outcomes), draft.AuditProof);
            return draft.Refused;
        }
    }

    // Whether an epoch was committed whose commit lost its connection. Nothing else may be done before the database has told.
    private async Task<bool> ResolveAsync(IPipelineStore store, LeaseKeeper keeper, EpochRow epoch)
    {
        _logger.CommitUnknown(epoch.Epoch);
        while (true)
        {
            keeper.ThrowUnlessHeld();
            try
            {
                EpochRow? row = await store.TryReadEpochAsync(epoch.Epoch, CancellationToken.None);
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
                await Task.Delay(_options.EpochInterval, _time, keeper.Lost).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    private async Task FinishAsync(IPipelineStore store, LeaseKeeper keeper, LogSession session, int refused, long start, EpochTimes times, CancellationToken stop)
    {
        int published = session.Unfinished!.Content.Leaves.Rows.Length;
        await _publisher.PublishAsync(store, keeper.Lease, session, times, stop);
        TimeSpan elapsed = Stopwatch.GetElapsedTime(start);
        _metrics.Published(published, refused, elapsed.TotalSeconds);
        try
        {
            using (times.Measure(EpochStep.Purge))
            {
                await store.PurgeRequestsAsync(keeper.Lease, _options.PurgedRequestsPerEpoch, stop);
            }
        }
        finally
        {
            _logger.EpochPublished(session.Last.Epoch, published, refused, elapsed.TotalMilliseconds, times.DatabaseSeconds * 1000, times.Seconds * 1000, times);
        }
    }
}
