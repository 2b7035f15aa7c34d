using Optiks.Storage;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Leasing;

/// <summary>
/// Holds the lease and renews it while the task makes progress. The keeper measures the lease's time by its own monotonic clock, and
/// considers the lease lost slightly before the database does. Safety does not depend on this clock, because the database fences every
/// write. If the task makes no progress, the keeper gives the lease up (the method <see cref="Watch"/>). Otherwise the keeper of a hanging
/// task would renew the lease forever, and no standby could take over.
/// </summary>
internal sealed class LeaseKeeper : IAsyncDisposable
{
    private readonly PipelineStore _store;
    private readonly TimeSpan _duration;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly CancellationTokenSource _stop = new();
    private readonly CancellationTokenSource _lost = new();
    private readonly TaskCompletionSource _stalled = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Task _renewing;
    private long _renewedAt;
    private long _progressAt;
    private long _patienceTicks = Timeout.InfiniteTimeSpan.Ticks;

    private LeaseKeeper(PipelineStore store, Lease lease, long acquiredAt, TimeSpan duration, TimeProvider time, ILogger logger)
    {
        _store = store;
        Lease = lease;
        _renewedAt = acquiredAt;
        _duration = duration;
        _time = time;
        _logger = logger;
        _renewing = RenewAsync();
    }

    public Lease Lease { get; }

    /// <summary>The token that is cancelled once the keeper no longer knows that it holds the lease.</summary>
    public CancellationToken Lost => _lost.Token;

    /// <summary>Whether the keeper gave the lease up because the task made no progress.</summary>
    public bool HasStalled => _stalled.Task.IsCompleted;

    private bool IsHeld => !_lost.IsCancellationRequested && _time.GetElapsedTime(Interlocked.Read(ref _renewedAt)) < _duration;

    /// <summary>Tries to acquire the lease; returns null while another holder's lease is valid.</summary>
    public static async Task<LeaseKeeper?> TryAcquireAsync(
        PipelineStore store, string holder, TimeSpan duration, TimeProvider time, ILogger logger, CancellationToken cancellationToken)
    {
        // This timestamp is taken before the call. The database counts the lease's duration from some moment during the call, so the
        // keeper's count ends earlier.
        long before = time.GetTimestamp();
        Lease? lease = await store.AcquireLeaseAsync(holder, duration, cancellationToken);
        return lease is null ? null : new LeaseKeeper(store, lease, before, duration, time, logger);
    }

    public void ThrowUnlessHeld()
    {
        if (!IsHeld)
        {
            throw new LeaseLostException(
                HasStalled
                    ? "The lease was given up because no epoch was finished for too long."
                    : "The lease could not be renewed in time.");
        }
    }

    /// <summary>
    /// Starts to watch the task's progress. If the time in the parameter <paramref name="patience"/> passes without a call of
    /// <see cref="Progressed"/>, the keeper gives the lease up. An infinite time ends the watch.
    /// </summary>
    public void Watch(TimeSpan patience)
    {
        Progressed();
        Interlocked.Exchange(ref _patienceTicks, patience.Ticks);
    }

    /// <summary>
    /// Records that the task has done all work that was due, and restarts the time limit that <see cref="Watch"/> has set.
    /// </summary>
    public void Progressed() => Interlocked.Exchange(ref _progressAt, _time.GetTimestamp());

    /// <summary>
    /// After the keeper has given the lease up, completes when the time limit of <see cref="Watch"/> has passed once more. If the work has
    /// not stopped by then, one of its steps hangs: the step neither ends nor fails.
    /// </summary>
    public async Task HangsAsync(CancellationToken stop)
    {
        await _stalled.Task.WaitAsync(stop);
        await Task.Delay(TimeSpan.FromTicks(Interlocked.Read(ref _patienceTicks)), _time, stop);
    }

    /// <summary>Ends the lease at once, so that a standby need not wait until it expires.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _renewing;
        await ReleaseAsync();
        _stop.Dispose();
        _lost.Dispose();
    }

    private async Task ReleaseAsync()
    {
        try
        {
            await _store.ReleaseLeaseAsync(Lease, CancellationToken.None);
        }
        catch (StorageException e)
        {
            // The database could not release the lease, but the lease expires anyway. Other steps that need the database report its
            // failure.
            _logger.LeaseNotReleased(e);
        }
    }

    private bool IsStalled(out TimeSpan since)
    {
        var patience = TimeSpan.FromTicks(Interlocked.Read(ref _patienceTicks));
        since = _time.GetElapsedTime(Interlocked.Read(ref _progressAt));
        return patience != Timeout.InfiniteTimeSpan && since >= patience;
    }

    private async Task RenewAsync()
    {
        while (true)
        {
            try
            {
                await Task.Delay(_duration / 3, _time, _stop.Token);
                if (IsStalled(out TimeSpan since))
                {
                    _logger.LeaseGivenUp(since.TotalSeconds);
                    _stalled.TrySetResult();
                    await _lost.CancelAsync();
                    await ReleaseAsync();
                    return;
                }
                long before = _time.GetTimestamp();
                if (!await _store.RenewLeaseAsync(Lease, _duration, _stop.Token))
                {
                    _logger.LeaseTaken();
                    await _lost.CancelAsync();
                    return;
                }
                Interlocked.Exchange(ref _renewedAt, before);
            }
            catch (OperationCanceledException) when (_stop.IsCancellationRequested)
            {
                return;
            }
            catch (StorageException e)
            {
                _logger.LeaseNotRenewed(e);
                if (!IsHeld || e is not StorageUnavailableException)
                {
                    await _lost.CancelAsync();
                    return;
                }
            }
        }
    }
}
