namespace Optiks.Storage;

/// <summary>
/// A transaction that lasts over many calls, on its own connection. Disposing of it rolls back everything that was not committed. Not
/// thread-safe.
/// </summary>
public interface ITransaction : IAsyncDisposable
{
    /// <summary>Runs the work of one call inside the transaction. Throws the exceptions of the storage contract.</summary>
    Task<T> RunAsync<T>(Func<ISession, Task<T>> work, CancellationToken cancellationToken);

    /// <summary>Commits the transaction.</summary>
    Task CommitAsync();
}
