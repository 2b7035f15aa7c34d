using Optiks.Storage;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Leasing;

/// <summary>
/// LeaseKeeper holds the lease and renews it beside the work. By its own monotonic clock it stops counting the lease as held a little before the database does; nothing
/// depends on that, as every write is fenced.
/// </summary>
internal sealed class LeaseKeeper : IAsyncDisposable
{
    private readonly IPipelineStore _store;
    private readonly TimeSpan _duration;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly CancellationTokenSource _stop = new();
    private readonly CancellationTokenSource _lost = new();
    private readonly Task _renewing;
    private long _renewedAt;

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
            throw new LeaseLostException("The lease could not be renewed in time.");
        }
    }

    /// <summary>DisposeAsync ends the lease at once, so that a standby need not wait.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _renewing;
        try
        {
            await _store.ReleaseLeaseAsync(Lease, CancellationToken.None);
        }
        catch (StorageException e)
        {
            // It ends by itself; why the database failed is told by whoever needed it.
            _logger.LeaseNotReleased(e);
        }
        _stop.Dispose();
        _lost.Dispose();
    }

    private async Task RenewAsync()
    {
        while (true)
        {
            try
            {
                await Task.Delay(_duration / 3, _time, _stop.Token);
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
