namespace Optiks.Storage;

/// <summary>
/// Fills an empty database in one transaction. When the import is disposed of without <see cref="CommitAsync"/>, the database stays empty.
/// Callers add the rows of each table in the order of its primary key, epochs before their leaves, and requests before their pending rows
/// and outcomes. Not thread-safe.
/// </summary>
public interface IStorageImport : IAsyncDisposable
{
    /// <summary>Adds periods.</summary>
    Task AddPeriodsAsync(IReadOnlyList<PeriodRow> periods, CancellationToken cancellationToken);

    /// <summary>Adds the rows of epochs, with their checkpoints.</summary>
    Task AddEpochsAsync(IReadOnlyList<StoredEpoch> epochs, CancellationToken cancellationToken);

    /// <summary>Adds leaves and their values.</summary>
    Task AddLeavesAsync(IReadOnlyList<StoredLeaf> leaves, CancellationToken cancellationToken);

    /// <summary>Adds copies and their values.</summary>
    Task AddCopiesAsync(IReadOnlyList<StoredCopy> copies, CancellationToken cancellationToken);

    /// <summary>Adds requests under their existing sequence numbers; requests that are accepted later get higher numbers.</summary>
    Task AddRequestsAsync(IReadOnlyList<StoredRequest> requests, CancellationToken cancellationToken);

    /// <summary>Adds pending rows.</summary>
    Task AddPendingAsync(IReadOnlyList<StoredPending> pending, CancellationToken cancellationToken);

    /// <summary>Adds outcomes.</summary>
    Task AddOutcomesAsync(IReadOnlyList<StoredOutcome> outcomes, CancellationToken cancellationToken);

    /// <summary>Adds rows of the erasure sequence. This call deletes no values, because the caller adds the leaves without the erased
    /// values.</summary>
    Task AddErasuresAsync(IReadOnlyList<StoredErasure> erasures, CancellationToken cancellationToken);

    /// <summary>Sets the epoch, hash, published epoch and fence in the head row, without a holder of the lease, and makes the whole import
    /// durable.</summary>
    Task CommitAsync(HeadRow head, CancellationToken cancellationToken);
}
