using Microsoft.Extensions.Options;
using Optiks.UpdateTask.Leasing;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Makes a <see cref="LogWriter"/> write one epoch after another while the lease lasts. After a temporary failure of the database, the disk
/// or the board's lock, the loop retries the same epoch.
/// </summary>
internal sealed class EpochLoop
{
    // Until the next epoch is due, the task reads newly accepted updates repeatedly. Before each reading it waits for half of the time that
    // remains. Once the remaining time is at most this constant, it reads no more in advance.
    private static readonly TimeSpan s_shortestRest = TimeSpan.FromMilliseconds(100);

    private readonly EpochOptions _options;
    private readonly TaskReport _report;
    private readonly TimeProvider _time;

    public EpochLoop(IOptions<EpochOptions> options, TaskReport report, TimeProvider time)
    {
        _options = options.Value;
        _report = report;
        _time = time;
    }

    /// <summary>
    /// Makes epochs until the token <paramref name="stop"/> is cancelled; then finishes the current step and returns. Throws
    /// <see cref="Storage.StorageFencedException"/> or <see cref="LeaseLostException"/> if this task no longer holds the lease.
    /// </summary>
    public async Task RunAsync(LogWriter writer, LeaseKeeper keeper, CancellationToken stop)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stop, keeper.Lost);
        bool behind = false;
        writer.AnnounceLead();
        keeper.Watch(_options.EpochInterval + _options.StallTimeout);
        while (!stop.IsCancellationRequested)
        {
            keeper.ThrowUnlessHeld();
            long start = _time.GetTimestamp();
            bool hasNext = await TryAsync(() => writer.StepAsync(behind, ended.Token), ended.Token);
            behind = TimeUntilNext(start) <= TimeSpan.Zero;
            if (!behind && !hasNext)
            {
                await RestAsync(writer, start, ended.Token);
            }
            else
            {
                // Even if the task is behind with its updates, it does one piece of work for periods here, so that the preparation of the
                // next period progresses.
                _ = await TryWorkAsync(writer, ended.Token);
            }
        }
        // The watch for progress ends here, because a shutdown saves a snapshot of the trees. The time limit of the watch may be too short
        // for that.
        keeper.Watch(Timeout.InfiniteTimeSpan);
    }

    private TimeSpan TimeUntilNext(long start) => _options.EpochInterval - _time.GetElapsedTime(start);

    // Waits until the interval that began at the time `start` is over, or until the token is cancelled, and meanwhile does small pieces of
    // work. The caller must check whether the token was cancelled.
    private async Task RestAsync(LogWriter writer, long start, CancellationToken ended)
    {
        while (!ended.IsCancellationRequested && TimeUntilNext(start) is { Ticks: > 0 } rest)
        {
            bool readsOn = rest > s_shortestRest;
            TimeSpan left = readsOn ? rest / 2 : rest;
            await WorkAsync(writer, start, rest - left, ended);
            if (TimeUntilNext(start) - (rest - left) is { Ticks: > 0 } pause)
            {
                await Task.Delay(pause, _time, ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
            if (readsOn && !ended.IsCancellationRequested)
            {
                await writer.ReadAheadAsync(ended);
            }
        }
    }

    // Does work for periods, piece by piece, as long as more time remains until the next epoch than the parameter `left` says. It expects
    // each piece to take as long as the last piece, and does not begin a piece that may not fit. After each piece it pauses for as long as
    // the piece took. The pauses leave processors and disk to the database, to readers of the staged copies, and to requests.
    private async Task WorkAsync(LogWriter writer, long start, TimeSpan left, CancellationToken ended)
    {
        TimeSpan piece = TimeSpan.Zero;
        while (!ended.IsCancellationRequested && TimeUntilNext(start) - piece > left)
        {
            long began = _time.GetTimestamp();
            if (!await TryWorkAsync(writer, ended))
            {
                return;
            }
            piece = _time.GetElapsedTime(began);
            await Task.Delay(piece, _time, ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private Task<bool> TryWorkAsync(LogWriter writer, CancellationToken ended) => TryAsync(() => writer.WorkAsync(ended), ended);

    // Runs a step and returns its result. If the step fails and the failure may be temporary, reports the failure and returns false.
    private async Task<bool> TryAsync(Func<Task<bool>> step, CancellationToken stop)
    {
        try
        {
            return await step();
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // The step was cancelled by a shutdown or because the lease was lost. This is safe, because operations that must not be
            // interrupted do not use this token.
        }
        catch (Exception e) when (TemporaryFailure.Describe(e) is { } problem)
        {
            _report.Metrics.Failed();
            _report.Failed(e, problem);
        }
        return false;
    }
}
