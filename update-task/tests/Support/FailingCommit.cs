using System.Reflection;
using Optiks.Storage;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>FailingCommit is a real store whose next commits of an epoch do not reach the database: it was unavailable.</summary>
public class FailingCommit : DispatchProxy
{
    private IPipelineStore _store = null!;

    public int Failures { get; set; }

    public static (IPipelineStore Store, FailingCommit Fault) Wrap(IPipelineStore store)
    {
        IPipelineStore wrapped = Create<IPipelineStore, FailingCommit>();
        var fault = (FailingCommit)(object)wrapped;
        fault._store = store;
        return (wrapped, fault);
    }

    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args)
    {
        if (targetMethod!.Name == nameof(IPipelineStore.CommitEpochAsync) && Failures > 0)
        {
            Failures--;
            return Task.FromException<CommitResult>(new StorageUnavailableException("The database is away."));
        }
        return targetMethod.Invoke(_store, args);
    }
}
