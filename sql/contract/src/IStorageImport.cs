namespace Optiks.Storage;

/// <summary>
/// Fills an empty database in one transaction. When the import is disposed of without <see cref="CommitAsync"/>, the database stays empty.
/// Callers add rows in key order, epochs before their leaves, and requests before their pending rows and outcomes. Not thread-safe.
/// </summary>
public interface IStorageImport : IAsyncDisposable
{
    /// <summary>Adds periods.</summary>
    Task AddPeriodsAsync(IReadOnlyList<PeriodRow> periods, CancellationToken cancellationToken);

    /// <summary>Adds epochs with their checkpoints.</summary>
    Task AddEpochsAsync(IReadOnlyList<StoredEpoch> epochs, CancellationToken cancellationToken);

    /// <summary>Adds leaves and their values.</summary>
    Task AddLeavesAsync(IReadOnlyList<StoredLeaf> leaves, CancellationToken cancellationToken);

    /// <summary>Adds copies and their values.</summary>
    Task AddCopiesAsync(IReadOnlyList<StoredCopy> copies, CancellationToken cancellationToken);

    /// <summary>Adds requests under their existing sequence numbers; numbers that are assigned later are above all of them.</summary>
    Task AddRequestsAsync(IReadOnlyList<StoredRequest> requests, CancellationToken cancellationToken);

    /// <summary>Adds pending rows.</summary>
    Task AddPendingAsync(IReadOnlyList<StoredPending> pending, CancellationToken cancellationToken);

    /// <summary>Adds outcomes.</summary>
    Task AddOutcomesAsync(IReadOnlyList<StoredOutcome> outcomes, CancellationToken cancellationToken);

    /// <summary>Adds the erasure sequence. This call deletes nothing, because the leaves were added without the erased values.</summary>
    Task AddErasuresAsync(IReadOnlyList<StoredErasure> erasures, CancellationToken cancellationToken);

    /// <summary>Sets the head row (epoch, hash, published epoch and fence; nobody holds the lease) and makes everything durable.</summary>
    Task CommitAsync(HeadRow head, CancellationToken cancellationToken);
}
