using System.Collections.Concurrent;
using Optiks.Storage;
using Optiks.Storage.Sqlite;

namespace Optiks.UpdateService.Tests.Support;

/// <summary>WrappedEngine is SQLite with a hook before each accept, which may hold it up or fail it, and a count of what reaches the store.</summary>
internal sealed class WrappedEngine : IStorageProvider
{
    private readonly SqliteStorageProvider _sqlite;
    private int _statusReads;

    public WrappedEngine(TimeProvider? clock = null)
    {
        _sqlite = new SqliteStorageProvider(clock);
    }

    public string Name => "sqlite";

    /// <summary>ConcurrentUpdates is what the store says of itself.</summary>
    public int? ConcurrentUpdates { get; init; }

    /// <summary>BeforeAccept runs before each group commit.</summary>
    public Func<Task> BeforeAccept { get; set; } = () => Task.CompletedTask;

    /// <summary>AfterAccept runs between a commit and its return.</summary>
    public Func<Task> AfterAccept { get; set; } = () => Task.CompletedTask;

    /// <summary>StatusFailure is thrown by status reads, if set.</summary>
    public Exception? StatusFailure { get; set; }

    /// <summary>Groups: number of units in each commit.</summary>
    public ConcurrentQueue<int> Groups { get; } = [];

    public int StatusReads => Volatile.Read(ref _statusReads);

    public async Task<IAcceptStore> OpenAcceptAsync(string connectionString, CancellationToken cancellationToken) =>
        new Store(this, await _sqlite.OpenAcceptAsync(connectionString, cancellationToken));

    public Task<IPipelineStore> OpenPipelineAsync(string connectionString, CancellationToken cancellationToken) => _sqlite.OpenPipelineAsync(connectionString, cancellationToken);

    public Task<IFollowStore> OpenFollowAsync(string connectionString, CancellationToken cancellationToken) => _sqlite.OpenFollowAsync(connectionString, cancellationToken);

    public Task<IMaintenanceStore> OpenMaintenanceAsync(string connectionString, CancellationToken cancellationToken) => _sqlite.OpenMaintenanceAsync(connectionString, cancellationToken);

    public IMigrator CreateMigrator(string connectionString) => _sqlite.CreateMigrator(connectionString);

    private sealed class Store(WrappedEngine engine, IAcceptStore inner) : IAcceptStore
    {
        public int? ConcurrentUpdates => engine.ConcurrentUpdates;

        public async Task<IReadOnlyList<AcceptResult>> AcceptAsync(IReadOnlyList<AcceptUnit> units, HeadFloor floor, CancellationToken cancellationToken)
        {
            engine.Groups.Enqueue(units.Count);
            await engine.BeforeAccept();
            IReadOnlyList<AcceptResult> results = await inner.AcceptAsync(units, floor, cancellationToken);
            await engine.AfterAccept();
            return results;
        }

        public Task<RequestStatus?> ReadStatusAsync(Guid requestId, CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref engine._statusReads);
            return engine.StatusFailure is { } failure ? Task.FromException<RequestStatus?>(failure) : inner.ReadStatusAsync(requestId, cancellationToken);
        }

        public Task<Head> ReadHeadAsync(CancellationToken cancellationToken) => inner.ReadHeadAsync(cancellationToken);

        public Task<DateTimeOffset> ReadClockAsync(CancellationToken cancellationToken) => inner.ReadClockAsync(cancellationToken);

        public Task<Head> WaitForPublishedAsync(ulong? publishedEpoch, TimeSpan timeout, CancellationToken cancellationToken) =>
            inner.WaitForPublishedAsync(publishedEpoch, timeout, cancellationToken);

        public ValueTask DisposeAsync() => inner.DisposeAsync();
    }
}
