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
        while (!stop.IsCancellationRequested)
        {
            keeper.ThrowUnlessHeld();
            long start = _time.GetTimestamp();
            await TryStepAsync(store, keeper, session, stop);
            TimeSpan rest = _options.EpochInterval - _time.GetElapsedTime(start);
            if (rest > TimeSpan.Zero)
            {
                // Either end is looked at above.
                await Task.Delay(rest, _time, ended.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    /// <summary>StepAsync publishes the unfinished epoch if there is one, and then the next if it is due.</summary>
    internal async Task StepAsync(IPipelineStore store, LeaseKeeper keeper, LogSession session, CancellationToken stop)
    {
        if (session.Unfinished is not null)
        {
            await FinishAsync(store, keeper, session, refused: 0, Stopwatch.GetTimestamp(), new EpochTimes(_metrics), stop);
        }
        long start = Stopwatch.GetTimestamp();
        var times = new EpochTimes(_metrics);
        using (times.Measure(EpochStep.Check))
        {
            if (!ClocksAgree(await store.ReadClockAsync(stop)))
            {
                return;
            }
            await CheckHeadAsync(store, keeper.Lease, session, stop);
        }
        IReadOnlyList<PendingRequest> pending = await ReadPendingAsync(store, times, stop);
        ulong now = (ulong)_time.GetUtcNow().ToUnixTimeMilliseconds();
        if (pending.Count > 0 || now >= session.LastTimeMs + session.Identity.Anchor.Configuration.HeartbeatMs)
        {
            int refused = await CommitAsync(store, keeper, session, pending, now, times);
            if (session.Unfinished is not null)
            {
                await FinishAsync(store, keeper, session, refused, start, times, stop);
            }
        }
        _state.Progress(session.Last.Epoch);
    }

    private async Task TryStepAsync(IPipelineStore store, LeaseKeeper keeper, LogSession session, CancellationToken stop)
    {
        try
        {
            await StepAsync(store, keeper, session, stop);
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
    }

    private bool ClocksAgree(DateTimeOffset databaseClock)
    {
        string? problem = _clocks.Check(databaseClock);
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

    private async Task<IReadOnlyList<PendingRequest>> ReadPendingAsync(IPipelineStore store, EpochTimes times, CancellationToken stop)
    {
        using (times.Measure(EpochStep.Read))
        {
            IReadOnlyList<PendingRequest> pending = await store.ReadPendingAsync(_options.MaxUpdatesPerEpoch, _options.MaxBytesPerEpoch, stop);
            _metrics.Pending(pending.Count == 0 ? 0 : await store.CountPendingAsync(stop));
            return pending;
        }
    }

    // Returns the number of refused updates. Leaves the session as it was when the commit did not happen.
    private async Task<int> CommitAsync(IPipelineStore store, LeaseKeeper keeper, LogSession session, IReadOnlyList<PendingRequest> pending, ulong nowMs, EpochTimes times)
    {
        using (EpochDraft draft = EpochMaker.Make(session, pending, nowMs, times))
        {
            FailPoints.Hit(FailPoints.Apply);
            keeper.ThrowUnlessHeld();
            bool committed;
            using (times.Measure(EpochStep.Commit))
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
                EpochRow? row = await EpochHistory.ReadOneAsync(store, epoch.Epoch, CancellationToken.None);
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
