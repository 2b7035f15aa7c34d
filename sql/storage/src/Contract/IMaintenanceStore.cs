namespace Optiks.Storage;

/// <summary>
/// The operations of the role of <c>optiks-db</c>, the operator's tool. This role extends the update-task's role with operations that no
/// service may perform.
/// </summary>
public interface IMaintenanceStore : IPipelineStore
{
    /// <summary>
    /// Begins to read all stored rows as of one point in time. The caller must dispose of the result before it disposes of the store.
    /// </summary>
    Task<IConsistentRead> OpenConsistentReadAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Begins to import rows into a migrated, empty database. Throws <see cref="StorageMisconfiguredException"/> when the database is not
    /// empty.
    /// </summary>
    Task<IStorageImport> BeginImportAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Writes an epoch that a newer copy of this database had committed. The write is one transaction, with the same condition on the head
    /// row as <see cref="IPipelineStore.CommitEpochAsync"/>.
    /// </summary>
    /// <remarks>
    /// The call finds requests by their ids, because the sequence numbers in the given <paramref name="commit"/> are those of the newer
    /// copy. A request that this database already has keeps its sequence number, and the call deletes the pending row of every decided
    /// item. A request that this database lacks is added with a new number. Values may be missing because they were erased
    /// (<see cref="Optiks.Native.LeafRow.NoValue"/>). The values that the epoch erases may be missing before the call, and the call deletes
    /// those that exist. If the database has a request with the same id and another body hash, the call writes nothing and throws
    /// <see cref="StorageCorruptException"/>.
    /// </remarks>
    Task<CommitResult> RestoreEpochAsync(Lease lease, EpochCommit commit, CancellationToken cancellationToken);

    /// <summary>
    /// Asks the update-task to begin the period as soon as the protocol allows it (<see cref="IPipelineStore.ReadRequestedSwitchAsync"/>).
    /// Callers may repeat the call. Throws <see cref="ArgumentException"/> unless the period is the one after the current period.
    /// </summary>
    Task RequestSwitchAsync(ulong period, CancellationToken cancellationToken);

    /// <summary>
    /// Replaces a period's wrapped secrets by new ones (<paramref name="after"/>) in one transaction, but only if they still equal the old
    /// ones (<paramref name="before"/>). Returns whether they were equal. Callers may repeat the call. The comparison is needed because a
    /// running update-task may end periods and destroy their secrets. No period begins during the call. When a period begins later, its
    /// secrets are wrapped by the same key as the current period's secrets (<see cref="IPipelineStore.BeginPeriodAsync"/>).
    /// </summary>
    /// <param name="period">Number of the period.</param>
    /// <param name="before">The wrapped secrets that the caller read before.</param>
    /// <param name="after">The same secrets, wrapped by another key.</param>
    /// <param name="cancellationToken">Ends the wait for other writers.</param>
    Task<bool> RewrapSecretsAsync(ulong period, ReadOnlyMemory<byte> before, ReadOnlyMemory<byte> after, CancellationToken cancellationToken);

    /// <summary>
    /// Adds rows of copies that a newer copy of the database had staged and that this database lacks. The call has the same conditions as
    /// <see cref="IPipelineStore.StageCopiesAsync"/>. Values may be missing because they were erased.
    /// </summary>
    Task<StageResult> RestoreCopiesAsync(Lease lease, CopyBatch copies, CancellationToken cancellationToken);
}
