namespace Optiks.Storage;

/// <summary>The operations of the update-service's role. This role may insert requests and pending rows and read outcomes, and nothing
/// else.</summary>
public interface IAcceptStore : IHeadReader
{
    /// <summary>
    /// The smallest number of updates per call for which two concurrent calls of
    /// <see cref="AcceptAsync(IReadOnlyList{AcceptUnit}, HeadFloor, CancellationToken)"/> are faster than two successive calls. If it is
    /// null, successive calls are always faster.
    /// </summary>
    int? ConcurrentUpdates { get; }

    /// <summary>
    /// Makes the units durable in one transaction and returns one result per unit, in order. After the return, every unit with the result
    /// <see cref="AcceptStatus.Accepted"/> survives <c>kill -9</c> and a restart of the database.
    /// </summary>
    /// <remarks>
    /// These rules apply to each request in this order. A known id with the same body hash gets the same answer again, even if a limit has
    /// been reached since. A known id with another body hash is refused. The id's time must be at most 5 minutes ahead of the database's
    /// clock and at most 24 hours behind it. No key may get more than <see cref="Limits.PendingPerKey"/> pending updates, including those
    /// of this call. Either all requests of a unit are accepted, or none. Accepted requests get increasing sequence numbers in the order
    /// given. If the database's head row, read in the same transaction, is below the given <paramref name="floor"/>, nothing is stored, and
    /// every unit gets <see cref="AcceptStatus.OlderCopy"/>. If the call throws, the caller does not know whether the units were stored,
    /// and repeats the call with the same ids.
    /// </remarks>
    Task<IReadOnlyList<AcceptResult>> AcceptAsync(IReadOnlyList<AcceptUnit> units, HeadFloor floor, CancellationToken cancellationToken);

    /// <summary>Accepts units as the overload with a floor does, but without checking a floor.</summary>
    Task<IReadOnlyList<AcceptResult>> AcceptAsync(IReadOnlyList<AcceptUnit> units, CancellationToken cancellationToken) =>
        AcceptAsync(units, HeadFloor.None, cancellationToken);

    /// <summary>
    /// Checks, without writing, whether the database seems able to accept a write now. Throws <see cref="StorageUnavailableException"/> if
    /// it does not. A return without an exception does not prove that a write would succeed, because only an actual write shows whether a
    /// server's database is writable.
    /// </summary>
    Task CheckWritableAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>
    /// Counts the pending items; the count stops at the limit <paramref name="atMost"/>. The store first waits for the transactions that
    /// were accepting requests when the call began, so the count includes every request that was accepted before the call.
    /// </summary>
    Task<long> CountPendingAsync(long atMost, CancellationToken cancellationToken);

    /// <summary>
    /// Reads the versions whose values a request erased, in order, once the request's epoch is published. If the request names versions
    /// that had already been erased, the result omits them.
    /// </summary>
    Task<IReadOnlyList<ErasedVersion>> ReadReceiptAsync(ulong epoch, Guid requestId, CancellationToken cancellationToken);

    /// <summary>
    /// Reads the status of a request; returns null for an id that the database does not have, or no longer has. A request counts as
    /// published only once its epoch is published.
    /// </summary>
    Task<RequestStatus?> ReadStatusAsync(Guid requestId, CancellationToken cancellationToken);
}
