using Optiks.Storage;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Leasing;

/// <summary>
/// LeaseKeeper holds the lease and renews it beside the work. By its own monotonic clock it stops counting the lease as held a little before the database does; nothing
/// depends on that, as every write is fenced. A holder that makes no progress gives the lease up (<see cref="Watch"/>): renewing goes on beside work that hangs, and would keep every standby away for good.
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

    /// <summary>Cancelled once the lease is not known to be held any more.</summary>
    public CancellationToken Lost => _lost.Token;

    /// <summary>HasStalled says whether the lease was given up because its holder made no progress.</summary>
    public bool HasStalled => _stalled.Task.IsCompleted;

    private bool IsHeld => !_lost.IsCancellationRequested && _time.GetElapsedTime(Interlocked.Read(ref _renewedAt)) < _duration;

    /// <summary>TryAcquireAsync gives null while another holder's lease runs.</summary>
    public static async Task<LeaseKeeper?> TryAcquireAsync(
        IPipelineStore store, string holder, TimeSpan duration, TimeProvider time, ILogger logger, CancellationToken cancellationToken)
    {
        // Before the call: the database counts from some moment during it.
        long before = time.GetTimestamp();
        Lease? lease = await store.AcquireLeaseAsync(holder, duration, cancellationToken);
        return lease is null ? null : new LeaseKeeper(store, lease, before, duration, time, logger);
    }

    public void ThrowUnlessHeld()
    {
        if (!IsHeld)
        {
            throw new LeaseLostException(HasStalled ? "The lease was given up, as no epoch was finished for too long." : "The lease could not be renewed in time.");
        }
    }

    /// <summary>Watch gives the lease up once this time goes by without <see cref="Progressed"/>; infinite: the watch ends.</summary>
    public void Watch(TimeSpan patience)
    {
        Progressed();
        Interlocked.Exchange(ref _patienceTicks, patience.Ticks);
    }

    /// <summary>Progressed says that all that was due is done: the time of <see cref="Watch"/> begins anew.</summary>
    public void Progressed() => Interlocked.Exchange(ref _progressAt, _time.GetTimestamp());

    /// <summary>HangsAsync ends when the lease was given up and its holder has not noticed for as long again: a step of it neither ends nor fails.</summary>
    public async Task HangsAsync(CancellationToken stop)
    {
        await _stalled.Task.WaitAsync(stop);
        await Task.Delay(TimeSpan.FromTicks(Interlocked.Read(ref _patienceTicks)), _time, stop);
    }

    /// <summary>DisposeAsync ends the lease at once, so that a standby need not wait.</summary>
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
            // It ends by itself; why the database failed is told by whoever needed it.
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
