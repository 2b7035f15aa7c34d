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
    /// database has keeps its own number and loses the pending row of every decided item. A request that it lacks is added with a new
    /// number. Values may be missing because they were erased (<see cref="Optiks.Native.LeafRow.NoValue"/>). The values that the epoch
    /// erases may exist or not; they are gone afterwards. Throws <see cref="StorageCorruptException"/>, with nothing written, when the
    /// database has a request with another body hash.
    /// </remarks>
    Task<CommitResult> RestoreEpochAsync(Lease lease, EpochCommit commit, CancellationToken cancellationToken);

    /// <summary>
    /// Asks the update-task to begin a period as soon as the protocol allows it (<see cref="IPipelineStore.ReadRequestedSwitchAsync"/>).
    /// May be repeated. Throws <see cref="ArgumentException"/> for any period but the one after the current period.
    /// </summary>
    Task RequestSwitchAsync(ulong period, CancellationToken cancellationToken);

    /// <summary>
    /// Replaces a period's wrapped secrets, in one transaction, if they are still <paramref name="before"/>, and returns whether they were.
    /// May be repeated. The comparison is needed because an update-task may be running, which ends periods and destroys their secrets. No
    /// period begins meanwhile, and the secrets of one that begins later are wrapped by the key of the current one
    /// (<see cref="IPipelineStore.BeginPeriodAsync"/>).
    /// </summary>
    /// <param name="period">Number of the period.</param>
    /// <param name="before">The wrapped secrets as the caller read them.</param>
    /// <param name="after">The same secrets, wrapped by another key.</param>
    /// <param name="cancellationToken">Ends the wait for other writers.</param>
    Task<bool> RewrapSecretsAsync(ulong period, ReadOnlyMemory<byte> before, ReadOnlyMemory<byte> after, CancellationToken cancellationToken);

    /// <summary>
    /// Adds rows of copies that a newer copy of the database had staged and that this one lacks. The condition is that of
    /// <see cref="IPipelineStore.StageCopiesAsync"/>. Values may be missing because they were erased.
    /// </summary>
    Task<StageResult> RestoreCopiesAsync(Lease lease, CopyBatch copies, CancellationToken cancellationToken);
}
