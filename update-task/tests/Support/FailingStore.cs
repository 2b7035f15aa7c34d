using System.Reflection;
using Optiks.Storage;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>
/// Wraps a real store. A test can make the next calls of one method fail before they reach the database, as if the database were
/// unavailable.
/// </summary>
public class FailingStore : DispatchProxy
{
    private PipelineStore _store = null!;
    private string _failing = "";
    private int _failures;
    private bool _isDone;
    private int _lostLeaf = -1;

    public static (PipelineStore Store, FailingStore Fault) Wrap(PipelineStore store)
    {
        PipelineStore wrapped = Create<PipelineStore, FailingStore>();
        var fault = (FailingStore)(object)wrapped;
        fault._store = store;
        return (wrapped, fault);
    }

    /// <summary>Makes the next commit of an epoch fail.</summary>
    public void FailNextCommit() => (_failing, _failures) = (nameof(PipelineStore.CommitEpochAsync), 1);

    /// <summary>Makes the next call that stores a checkpoint fail.</summary>
    public void FailNextCheckpoint() => (_failing, _failures) = (nameof(PipelineStore.StoreCheckpointAsync), 1);

    /// <summary>Makes the next call that reads pending requests fail.</summary>
    public void FailNextRead() => (_failing, _failures) = (nameof(PipelineStore.ReadPendingAsync), 1);

    /// <summary>Makes the next call that stages copies fail.</summary>
    public void FailNextStaging() => (_failing, _failures) = (nameof(PipelineStore.StageCopiesAsync), 1);

    /// <summary>Makes the next call that stages copies succeed in the database, but report a failure to its caller.</summary>
    public void LoseNextStaging()
    {
        FailNextStaging();
        _isDone = true;
    }

    /// <summary>Makes the next page of leaves omit the leaf with this index, as if the database had lost the leaf.</summary>
    public void LoseLeaf(int index) => _lostLeaf = index;

    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args)
    {
        if (targetMethod!.Name == _failing && Interlocked.Exchange(ref _failures, 0) > 0)
        {
            var away = new StorageUnavailableException("The database is away.");
            if (_isDone)
            {
                _isDone = false;
                return LoseAsync((Task<StageResult>)targetMethod.Invoke(_store, args)!, away);
            }
            return targetMethod.ReturnType == typeof(Task) ? Task.FromException(away)
                : targetMethod.ReturnType == typeof(Task<StageResult>) ? Task.FromException<StageResult>(away)
                : Task.FromException<CommitResult>(away);
        }
        object? result = targetMethod.Invoke(_store, args);
        return _lostLeaf >= 0 && result is Task<IReadOnlyList<StoredLeaf>> page ? WithoutAsync(page, Interlocked.Exchange(ref _lostLeaf, -1)) : result;
    }

    private static async Task<IReadOnlyList<StoredLeaf>> WithoutAsync(Task<IReadOnlyList<StoredLeaf>> page, int index) =>
        [.. (await page).Where((_, i) => i != index)];

    private static async Task<StageResult> LoseAsync(Task<StageResult> staging, Exception away)
    {
        Assert.Equal(StageResult.Staged, await staging);
        throw away;
    }
}
