namespace Optiks.Storage;

/// <summary>The role of <c>optiks-db</c>, the operator's tool: the update-task's, and what no service may.</summary>
public interface IMaintenanceStore : IPipelineStore
{
    /// <summary>Begins to read all that is stored at one moment. The caller disposes it before the store.</summary>
    Task<IConsistentRead> OpenConsistentReadAsync(CancellationToken cancellationToken);

    /// <summary>Begins to fill a migrated database. <see cref="StorageMisconfiguredException"/> when anything is in it.</summary>
    Task<IStorageImport> BeginImportAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Writes an epoch that a newer copy of this database had committed, in one transaction and on the same condition as <see cref="IPipelineStore.CommitEpochAsync"/>. Requests
    /// are found by id, not by the sequence number in <paramref name="commit"/>, which is the newer copy's: one that is here keeps its own number and loses the pending row of every decided item; one that is
    /// not here is added, with a new number. Values may be missing (<see cref="Optiks.Native.LeafRow.NoValue"/>: erased), and those of its erasures may be here or not: they are gone afterwards. <see cref="StorageCorruptException"/> when a request is here with
    /// another body hash: nothing was written.
    /// </summary>
    Task<CommitResult> RestoreEpochAsync(Lease lease, EpochCommit commit, CancellationToken cancellationToken);

    /// <summary>
    /// Asks the update-task to begin a period as soon as the protocol allows it (<see cref="IPipelineStore.ReadRequestedSwitchAsync"/>). May be repeated. <see cref="ArgumentException"/> for
    /// any but the one after the current period.
    /// </summary>
    Task RequestSwitchAsync(ulong period, CancellationToken cancellationToken);

    /// <summary>
    /// Replaces a period's wrapped secrets, in one transaction, if they are these octets still: an update-task may run, end periods and destroy their secrets. It says whether they were. No
    /// period begins meanwhile, and one that begins later is wrapped by the key of the current one (<see cref="IPipelineStore.BeginPeriodAsync"/>). May be repeated.
    /// </summary>
    /// <param name="period">Number of the period.</param>
    /// <param name="before">Its wrapped secrets, as they were read.</param>
    /// <param name="after">The same secrets, wrapped by another key.</param>
    /// <param name="cancellationToken">Ends the wait for others who write.</param>
    Task<bool> RewrapSecretsAsync(ulong period, ReadOnlyMemory<byte> before, ReadOnlyMemory<byte> after, CancellationToken cancellationToken);

    /// <summary>
    /// Adds what the database lacks of rows that a newer copy of it had staged, on the same condition as <see cref="IPipelineStore.StageCopiesAsync"/>. Values may be missing: erased.
    /// </summary>
    Task<StageResult> RestoreCopiesAsync(Lease lease, CopyBatch copies, CancellationToken cancellationToken);
}
