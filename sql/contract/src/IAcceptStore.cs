namespace Optiks.Storage;

/// <summary>The update-service's role: it inserts requests and pending rows and reads outcomes, and may do nothing else.</summary>
public interface IAcceptStore : IHeadReader
{
    /// <summary>
    /// The smallest number of updates for which two calls of
    /// <see cref="AcceptAsync(IReadOnlyList{AcceptUnit}, HeadFloor, CancellationToken)"/> at the same time are faster than one after the
    /// other. Null means that calls are fastest one at a time.
    /// </summary>
    int? ConcurrentUpdates { get; }

    /// <summary>
    /// Makes the units durable in one transaction and returns one result per unit, in order. When it returns, everything
    /// <see cref="AcceptStatus.Accepted"/> survives kill -9 and a database restart.
    /// </summary>
    /// <remarks>
    /// These rules apply to each request in this order. A known id with the same body hash gets the same answer again, whatever the limits
    /// are. A known id with another body hash is refused. The id's time must be at most 5 minutes ahead of the database's clock and at most
    /// 24 hours behind it. No key may get more than <see cref="Limits.PendingPerKey"/> pending updates, including those of this call. A
    /// unit is accepted whole or not at all. Accepted requests get increasing sequence numbers in the order given. A database whose head
    /// row, read in the same transaction, is below <paramref name="floor"/> stores nothing: every unit gets
    /// <see cref="AcceptStatus.OlderCopy"/>. After a failure the result is unknown: callers repeat the call with the same ids.
    /// </remarks>
    Task<IReadOnlyList<AcceptResult>> AcceptAsync(IReadOnlyList<AcceptUnit> units, HeadFloor floor, CancellationToken cancellationToken);

    /// <summary>Accepts units as the other overload does, without a floor.</summary>
    Task<IReadOnlyList<AcceptResult>> AcceptAsync(IReadOnlyList<AcceptUnit> units, CancellationToken cancellationToken) => AcceptAsync(units, HeadFloor.None, cancellationToken);

    /// <summary>
    /// Throws <see cref="StorageUnavailableException"/> when a check without a write shows that no write would succeed now. A return
    /// without an exception promises nothing, because only a write shows whether a server's database is writable.
    /// </summary>
    Task CheckWritableAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>
    /// Counts the pending items, up to <paramref name="atMost"/>. The store first waits until no new request can get a place before a
    /// request that was accepted when the call began. So the count includes all requests that were accepted by then.
    /// </summary>
    Task<long> CountPendingAsync(long atMost, CancellationToken cancellationToken);

    /// <summary>
    /// Reads the versions whose values a request erased, in order, once the request's epoch is published. The result omits versions that
    /// the request names but that were already erased.
    /// </summary>
    Task<IReadOnlyList<ErasedVersion>> ReadReceiptAsync(ulong epoch, Guid requestId, CancellationToken cancellationToken);

    /// <summary>
    /// Reads the status of a request; returns null for an id that is unknown or no longer known. A request counts as published only once
    /// its epoch is published.
    /// </summary>
    Task<RequestStatus?> ReadStatusAsync(Guid requestId, CancellationToken cancellationToken);
}
