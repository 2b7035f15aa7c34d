namespace Optiks.Storage;

/// <summary>
/// IStorageImport fills an empty database in one transaction: all of it or, when it is disposed of without <see cref="CommitAsync"/>, nothing. Rows come in key order, epochs before their leaves
/// and requests before their pending rows and outcomes. Not thread-safe.
/// </summary>
public interface IStorageImport : IAsyncDisposable
{
    /// <summary>AddPeriodsAsync adds periods.</summary>
    Task AddPeriodsAsync(IReadOnlyList<PeriodRow> periods, CancellationToken cancellationToken);

    /// <summary>AddEpochsAsync adds epochs with their checkpoints.</summary>
    Task AddEpochsAsync(IReadOnlyList<StoredEpoch> epochs, CancellationToken cancellationToken);

    /// <summary>AddLeavesAsync adds leaves and their values.</summary>
    Task AddLeavesAsync(IReadOnlyList<StoredLeaf> leaves, CancellationToken cancellationToken);

    /// <summary>AddCopiesAsync adds copies and their values.</summary>
    Task AddCopiesAsync(IReadOnlyList<StoredCopy> copies, CancellationToken cancellationToken);

    /// <summary>AddRequestsAsync adds requests under the sequence numbers that they have; numbers given later are above all of them.</summary>
    Task AddRequestsAsync(IReadOnlyList<StoredRequest> requests, CancellationToken cancellationToken);

    /// <summary>AddPendingAsync adds pending rows.</summary>
    Task AddPendingAsync(IReadOnlyList<StoredPending> pending, CancellationToken cancellationToken);

    /// <summary>AddOutcomesAsync adds outcomes.</summary>
    Task AddOutcomesAsync(IReadOnlyList<StoredOutcome> outcomes, CancellationToken cancellationToken);

    /// <summary>AddErasuresAsync adds the erasure sequence. It deletes nothing: leaves were added without the values.</summary>
    Task AddErasuresAsync(IReadOnlyList<StoredErasure> erasures, CancellationToken cancellationToken);

    /// <summary>CommitAsync sets the head row (epoch, hash, published epoch and fence; nobody holds the lease) and makes everything durable.</summary>
    Task CommitAsync(HeadRow head, CancellationToken cancellationToken);
}
