namespace Optiks.Storage.Hosting;

/// <summary>
/// Wraps the update-service's store and retries calls that failed temporarily, such as in a restart, a failover or a deadlock, if they are
/// safe to repeat. Reads are safe to repeat. Accepts are safe too, because their request ids make them idempotent. Stores of other roles
/// have no such wrapper, because the epoch loop and the follower know which calls they may repeat and which results they must look up
/// first. This class does not retry <see cref="WaitForPublishedAsync"/>, because its caller is a loop that calls it again. Thread-safe.
/// </summary>
internal sealed class ResilientAcceptStore : IAcceptStore
{
    private readonly IAcceptStore _inner;
    private readonly ResilienceMetrics _metrics = new(TimeProvider.System);

    // Reads and writes have separate circuits, because a database with a full disk refuses writes but still answers reads.
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
    public Task<IReadOnlyList<AcceptResult>> AcceptAsync(
        IReadOnlyList<AcceptUnit> units, HeadFloor floor, CancellationToken cancellationToken) =>
        _accepts.RunAsync(cancel => _inner.AcceptAsync(units, floor, cancel), cancellationToken);

    /// <inheritdoc/>
    public Task CheckWritableAsync(CancellationToken cancellationToken) => _inner.CheckWritableAsync(cancellationToken);

    /// <inheritdoc/>
    public Task<long> CountPendingAsync(long atMost, CancellationToken cancellationToken) =>
        _reads.RunAsync(cancel => _inner.CountPendingAsync(atMost, cancel), cancellationToken);

    /// <inheritdoc/>
    public Task<RequestStatus?> ReadStatusAsync(Guid requestId, CancellationToken cancellationToken) =>
        _reads.RunAsync(cancel => _inner.ReadStatusAsync(requestId, cancel), cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<ErasedVersion>> ReadReceiptAsync(ulong epoch, Guid requestId, CancellationToken cancellationToken) =>
        _reads.RunAsync(cancel => _inner.ReadReceiptAsync(epoch, requestId, cancel), cancellationToken);

    /// <inheritdoc/>
    public Task<HeadRow> ReadHeadAsync(CancellationToken cancellationToken) => _reads.RunAsync(_inner.ReadHeadAsync, cancellationToken);

    /// <inheritdoc/>
    public Task<DateTimeOffset> ReadClockAsync(CancellationToken cancellationToken) =>
        _reads.RunAsync(_inner.ReadClockAsync, cancellationToken);

    /// <inheritdoc/>
    public Task<HeadRow> WaitForPublishedAsync(ulong? publishedEpoch, TimeSpan timeout, CancellationToken cancellationToken) =>
        _inner.WaitForPublishedAsync(publishedEpoch, timeout, cancellationToken);

    public async ValueTask DisposeAsync()
    {
        await _inner.DisposeAsync();
        _metrics.Dispose();
    }
}
