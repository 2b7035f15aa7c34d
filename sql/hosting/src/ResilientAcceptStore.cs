namespace Optiks.Storage.Hosting;

/// <summary>
/// Retries calls that failed temporarily (a restart, a failover, a deadlock) and are safe to repeat: reads, and accepts, which their
/// request ids make idempotent. The stores of other roles are not wrapped. The epoch loop and the follower know which calls they may repeat
/// and which results they must look up first. <see cref="WaitForPublishedAsync"/> is not retried either, because its caller is such a loop
/// itself. Any thread.
/// </summary>
internal sealed class ResilientAcceptStore : IAcceptStore
{
    private readonly IAcceptStore _inner;
    private readonly ResilienceMetrics _metrics = new(TimeProvider.System);

    // Reads and writes have separate circuits: a full disk refuses writes but still answers reads.
    private readonly Resilience _reads;
    private readonly Resilience _accepts;

    public ResilientAcceptStore(IAcceptStore inner)
    {
        _inner = inner;
        _reads = new Resilience("read", _metrics);
        _accepts = new Resilience("accept", _metrics);
    }

    /// <inheritdoc/>
    public int? ConcurrentUpdates => _inner.ConcurrentUpdates;

    /// <inheritdoc/>
    public Task<IReadOnlyList<AcceptResult>> AcceptAsync(IReadOnlyList<AcceptUnit> units, HeadFloor floor, CancellationToken cancellationToken) =>
        _accepts.RunAsync(cancel => _inner.AcceptAsync(units, floor, cancel), cancellationToken);

    /// <inheritdoc/>
    public Task CheckWritableAsync(CancellationToken cancellationToken) => _inner.CheckWritableAsync(cancellationToken);

    /// <inheritdoc/>
    public Task<long> CountPendingAsync(long atMost, CancellationToken cancellationToken) => _reads.RunAsync(cancel => _inner.CountPendingAsync(atMost, cancel), cancellationToken);

    /// <inheritdoc/>
    public Task<RequestStatus?> ReadStatusAsync(Guid requestId, CancellationToken cancellationToken) =>
        _reads.RunAsync(cancel => _inner.ReadStatusAsync(requestId, cancel), cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<ErasedVersion>> ReadReceiptAsync(ulong epoch, Guid requestId, CancellationToken cancellationToken) =>
        _reads.RunAsync(cancel => _inner.ReadReceiptAsync(epoch, requestId, cancel), cancellationToken);

    /// <inheritdoc/>
    public Task<HeadRow> ReadHeadAsync(CancellationToken cancellationToken) => _reads.RunAsync(_inner.ReadHeadAsync, cancellationToken);

    /// <inheritdoc/>
    public Task<DateTimeOffset> ReadClockAsync(CancellationToken cancellationToken) => _reads.RunAsync(_inner.ReadClockAsync, cancellationToken);

    /// <inheritdoc/>
    public Task<HeadRow> WaitForPublishedAsync(ulong? publishedEpoch, TimeSpan timeout, CancellationToken cancellationToken) =>
        _inner.WaitForPublishedAsync(publishedEpoch, timeout, cancellationToken);

    public async ValueTask DisposeAsync()
    {
        await _inner.DisposeAsync();
        _metrics.Dispose();
    }
}
