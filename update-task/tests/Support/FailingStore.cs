using Optiks.Storage;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>
/// A store on a real database. A test can make the next call of one method fail before it reaches the database, as if the database were
/// unavailable.
/// </summary>
public sealed class FailingStore : PipelineStore
{
    private string _failing = "";
    private int _failures;
    private bool _isDone;
    private int _lostLeaf = -1;

    /// <summary>Creates a store on the database of a real store, which must not be used any more.</summary>
    public FailingStore(PipelineStore real)
        : base(real)
    {
    }

    /// <summary>Makes the next commit of an epoch fail.</summary>
    public void FailNextCommit() => (_failing, _failures) = (nameof(CommitEpochAsync), 1);

    /// <summary>Makes the next call that stores a checkpoint fail.</summary>
    public void FailNextCheckpoint() => (_failing, _failures) = (nameof(StoreCheckpointAsync), 1);

    /// <summary>Makes the next call that reads pending requests fail.</summary>
    public void FailNextRead() => (_failing, _failures) = (nameof(ReadPendingAsync), 1);

    /// <summary>Makes the next call that stages copies fail.</summary>
    public void FailNextStaging() => (_failing, _failures) = (nameof(StageCopiesAsync), 1);

    /// <summary>Makes the next call that stages copies succeed in the database, but report a failure to its caller.</summary>
    public void LoseNextStaging()
    {
        FailNextStaging();
        _isDone = true;
    }

    /// <summary>Makes the next page of leaves omit the leaf with this index, as if the database had lost the leaf.</summary>
    public void LoseLeaf(int index) => _lostLeaf = index;

    public override Task<CommitResult> CommitEpochAsync(Lease lease, EpochCommit commit, CancellationToken cancellationToken) =>
        Fails(nameof(CommitEpochAsync))
            ? Task.FromException<CommitResult>(Away())
            : base.CommitEpochAsync(lease, commit, cancellationToken);

    public override Task StoreCheckpointAsync(
        Lease lease, ulong epoch, ReadOnlyMemory<byte> recordHash, ReadOnlyMemory<byte> checkpoint, CancellationToken cancellationToken) =>
        Fails(nameof(StoreCheckpointAsync))
            ? Task.FromException(Away())
            : base.StoreCheckpointAsync(lease, epoch, recordHash, checkpoint, cancellationToken);

    public override Task ReadPendingAsync(PendingSelection selection, CancellationToken cancellationToken) =>
        Fails(nameof(ReadPendingAsync)) ? Task.FromException(Away()) : base.ReadPendingAsync(selection, cancellationToken);

    public override async Task<StageResult> StageCopiesAsync(Lease lease, CopyBatch copies, CancellationToken cancellationToken)
    {
        if (!Fails(nameof(StageCopiesAsync)))
        {
            return await base.StageCopiesAsync(lease, copies, cancellationToken);
        }
        if (_isDone)
        {
            _isDone = false;
            Assert.Equal(StageResult.Staged, await base.StageCopiesAsync(lease, copies, cancellationToken));
        }
        throw Away();
    }

    public override async Task<IReadOnlyList<StoredLeaf>> ReadLeavesAsync(
        ulong epoch, int ordinal, int max, CancellationToken cancellationToken)
    {
        IReadOnlyList<StoredLeaf> page = await base.ReadLeavesAsync(epoch, ordinal, max, cancellationToken);
        int lost = Interlocked.Exchange(ref _lostLeaf, -1);
        return lost < 0 ? page : [.. page.Where((_, i) => i != lost)];
    }

    private static StorageUnavailableException Away() => new("The database is away.");

    private bool Fails(string method) => method == _failing && Interlocked.Exchange(ref _failures, 0) > 0;
}
