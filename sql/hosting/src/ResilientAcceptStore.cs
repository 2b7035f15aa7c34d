namespace Optiks.Storage.Hosting;

/// <summary>
/// Repeats what failed for the moment (a restart, a failover, a deadlock) and may be repeated: reads, and accepts, which their request ids make idempotent. The
/// other roles' stores are not wrapped: epoch loop and follower are loops of their own, which know what may be repeated and what must be looked up first. Nor is
/// <see cref="WaitForPublishedAsync"/>, whose caller is such a loop. Any thread.
/// </summary>
internal sealed class ResilientAcceptStore : IAcceptStore
{
    private readonly IAcceptStore _inner;
    private readonly ResilienceMetrics _metrics = new(TimeProvider.System);

    // Apart: a full disk takes no writes and answers reads all the same.
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
