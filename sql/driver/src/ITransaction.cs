namespace Optiks.Storage.Driver;

/// <summary>A transaction over many calls, on a connection of its own. Disposing of it takes everything back that was not committed. Not thread-safe.</summary>
public interface ITransaction : IAsyncDisposable
{
    /// <summary>Runs one call's work. Errors are the contract's.</summary>
    Task<T> RunAsync<T>(Func<ISession, Task<T>> work, CancellationToken cancellationToken);

    /// <summary>Keeps everything.</summary>
    Task CommitAsync();
}
