namespace Optiks.Storage;

/// <summary>The update-service's role: it inserts requests and pending rows and reads outcomes, nothing else.</summary>
public interface IAcceptStore : IHeadReader
{
    /// <summary>
    /// How many updates a call of <see cref="AcceptAsync(IReadOnlyList{AcceptUnit}, HeadFloor, CancellationToken)"/> must have for another one beside it to gain anything;
    /// null: one at a time is best.
    /// </summary>
    int? ConcurrentUpdates { get; }

    /// <summary>
    /// Makes the units durable in one transaction and returns one result a unit, in order. When it returns, everything <see cref="AcceptStatus.Accepted"/>
    /// survives kill -9 and a database restart. Rules, in this order for each request: a known id with the same body hash is the same answer, whatever the limits
    /// say; with another it is refused; the id's time must be at most 5 minutes ahead of and 24 hours behind the database's clock; no key may come to more than
    /// <see cref="Limits.PendingPerKey"/> pending updates, counting those of this call. A unit is accepted whole or not at all. Accepted requests get increasing
    /// sequence numbers in the order given. A database whose head row, read in the same transaction, does not come up to <paramref name="floor"/> stores nothing:
    /// <see cref="AcceptStatus.OlderCopy"/> for every unit.
    /// A failure leaves the result unknown: callers repeat with the same ids.
    /// </summary>
    Task<IReadOnlyList<AcceptResult>> AcceptAsync(IReadOnlyList<AcceptUnit> units, HeadFloor floor, CancellationToken cancellationToken);

    /// <summary>AcceptAsync without a floor.</summary>
    Task<IReadOnlyList<AcceptResult>> AcceptAsync(IReadOnlyList<AcceptUnit> units, CancellationToken cancellationToken) => AcceptAsync(units, HeadFloor.None, cancellationToken);

    /// <summary>
    /// Throws <see cref="StorageUnavailableException"/> when it shows without a write that none would succeed now. Returning promises nothing: of a server's database only a
    /// write tells.
    /// </summary>
    Task CheckWritableAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>
    /// Counts the pending items, up to <paramref name="atMost"/>, once nobody can come any more who stands before a request that was accepted when it was called. So what it counts holds
    /// all of those.
    /// </summary>
    Task<long> CountPendingAsync(long atMost, CancellationToken cancellationToken);

    /// <summary>Reads which versions' values a request erased, in order, once its epoch is published: those that it names and that were erased before are not among them.</summary>
    Task<IReadOnlyList<ErasedVersion>> ReadReceiptAsync(ulong epoch, Guid requestId, CancellationToken cancellationToken);

    /// <summary>Reads what became of a request; null for an id that is not known (any more). Published only once the epoch is.</summary>
    Task<RequestStatus?> ReadStatusAsync(Guid requestId, CancellationToken cancellationToken);
}
