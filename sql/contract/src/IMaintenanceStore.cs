namespace Optiks.Storage;

/// <summary>
/// The role of <c>optiks-db</c>, the operator's tool: it extends the update-task's role by operations that no service may do.
/// </summary>
public interface IMaintenanceStore : IPipelineStore
{
    /// <summary>
    /// Begins to read everything that is stored, as of one point in time. The caller disposes of the result before the store.
    /// </summary>
    Task<IConsistentRead> OpenConsistentReadAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Begins to fill a migrated database. Throws <see cref="StorageMisconfiguredException"/> when the database is not empty.
    /// </summary>
    Task<IStorageImport> BeginImportAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Writes an epoch that a newer copy of this database had committed, in one transaction and on the same condition as
    /// <see cref="IPipelineStore.CommitEpochAsync"/>.
    /// </summary>
    /// <remarks>
    /// Requests are found by id, not by the sequence number in <paramref name="commit"/>, which is the newer copy's. A request that this
    /// database has keeps its own number, and the call deletes the pending row of every decided item. A request that this database lacks is
    /// added with a new number. Values may be missing because they were erased (<see cref="Optiks.Native.LeafRow.NoValue"/>). The values
    /// that the epoch erases may or may not exist before the call; none of them exists afterwards. Throws
    /// <see cref="StorageCorruptException"/>, with nothing written, when the database has a request with the same id and another body hash.
    /// </remarks>
    Task<CommitResult> RestoreEpochAsync(Lease lease, EpochCommit commit, CancellationToken cancellationToken);

    /// <summary>
    /// Asks the update-task to begin a period as soon as the protocol allows it (<see cref="IPipelineStore.ReadRequestedSwitchAsync"/>).
    /// Callers may repeat the call. Throws <see cref="ArgumentException"/> unless the period is the one after the current period.
    /// </summary>
    Task RequestSwitchAsync(ulong period, CancellationToken cancellationToken);

    /// <summary>
    /// Replaces a period's wrapped secrets, in one transaction, if they are still <paramref name="before"/>, and returns whether they were.
    /// Callers may repeat the call. The comparison is needed because an update-task that is running may end periods and destroy their
    /// secrets. No period begins during the call. The secrets of a period that begins later are wrapped by the key that wraps the current
    /// period's secrets (<see cref="IPipelineStore.BeginPeriodAsync"/>).
    /// </summary>
    /// <param name="period">Number of the period.</param>
    /// <param name="before">The wrapped secrets as the caller read them.</param>
    /// <param name="after">The same secrets, wrapped by another key.</param>
    /// <param name="cancellationToken">Ends the wait for other writers.</param>
    Task<bool> RewrapSecretsAsync(ulong period, ReadOnlyMemory<byte> before, ReadOnlyMemory<byte> after, CancellationToken cancellationToken);

    /// <summary>
    /// Adds rows of copies that a newer copy of the database had staged and that this database lacks. The call has the same condition as
    /// <see cref="IPipelineStore.StageCopiesAsync"/>. Values may be missing because they were erased.
    /// </summary>
    Task<StageResult> RestoreCopiesAsync(Lease lease, CopyBatch copies, CancellationToken cancellationToken);
}
