using Optiks.Storage;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Leasing;

/// <summary>
/// Holds the lease and renews it while the work goes on. By its own monotonic clock, the keeper stops counting the lease as held slightly
/// before the database does. Safety does not depend on this clock, because every write is fenced. A holder that makes no progress gives the
/// lease up (<see cref="Watch"/>). Otherwise renewals would continue while the work hangs, and would keep every standby away forever.
/// </summary>
internal sealed class LeaseKeeper : IAsyncDisposable
{
    private readonly IPipelineStore _store;
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

    private LeaseKeeper(IPipelineStore store, Lease lease, long acquiredAt, TimeSpan duration, TimeProvider time, ILogger logger)
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

    /// <summary>The token that is cancelled once the lease is no longer known to be held.</summary>
    public CancellationToken Lost => _lost.Token;

    /// <summary>Whether the lease was given up because its holder made no progress.</summary>
    public bool HasStalled => _stalled.Task.IsCompleted;

    private bool IsHeld => !_lost.IsCancellationRequested && _time.GetElapsedTime(Interlocked.Read(ref _renewedAt)) < _duration;

    /// <summary>Tries to acquire the lease; returns null while another holder's lease is valid.</summary>
    public static async Task<LeaseKeeper?> TryAcquireAsync(
        IPipelineStore store, string holder, TimeSpan duration, TimeProvider time, ILogger logger, CancellationToken cancellationToken)
    {
        // The keeper takes this time before the call, because the database counts the duration from some point during the call.
        long before = time.GetTimestamp();
        Lease? lease = await store.AcquireLeaseAsync(holder, duration, cancellationToken);
        return lease is null ? null : new LeaseKeeper(store, lease, before, duration, time, logger);
    }

    public void ThrowUnlessHeld()
    {
        if (!IsHeld)
        {
            throw new LeaseLostException(HasStalled ? "The lease was given up because no epoch was finished for too long." : "The lease could not be renewed in time.");
        }
    }

    /// <summary>
    /// Gives the lease up once this time passes without a call of <see cref="Progressed"/>. An infinite time ends the watch.
    /// </summary>
    public void Watch(TimeSpan patience)
    {
        Progressed();
        Interlocked.Exchange(ref _patienceTicks, patience.Ticks);
    }

    /// <summary>Records that everything due is done, and restarts the time of <see cref="Watch"/>.</summary>
    public void Progressed() => Interlocked.Exchange(ref _progressAt, _time.GetTimestamp());

    /// <summary>
    /// Completes if the holder still has not ended after the lease was given up and the time of <see cref="Watch"/> has passed once more.
    /// One of the holder's steps then neither ends nor fails.
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
            // The lease could not be released, but it expires anyway. The step that needed the database reports the failure.
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
