using System.Collections.Concurrent;
using Optiks.Storage;
using Optiks.Storage.Sqlite;

namespace Optiks.UpdateService.Tests.Support;

/// <summary>
/// Wraps a storage engine. Tests can set functions that run before and after each group commit. These functions may delay the commit or
/// make it fail. Also counts the units that reach the store.
/// </summary>
internal sealed class WrappedEngine : IStorageProvider
{
    private readonly IStorageProvider _inner;
    private int _statusReads;

    public WrappedEngine(TimeProvider? clock = null)
        : this(new SqliteStorageProvider(clock))
    {
    }

    public WrappedEngine(IStorageProvider inner)
    {
        _inner = inner;
    }

    public string Name => _inner.Name;

    /// <summary>
    /// The value that replaces the property <c>ConcurrentUpdates</c> of the real store; null if the real store's value stays.
    /// </summary>
    public int? ConcurrentUpdates { get; init; }

    /// <summary>A function that a test sets and that runs before each group commit.</summary>
    public Func<Task> BeforeAccept { get; set; } = () => Task.CompletedTask;

    /// <summary>A function that a test sets and that runs after each group commit, before the call of the store returns.</summary>
    public Func<Task> AfterAccept { get; set; } = () => Task.CompletedTask;

    /// <summary>An action that a test sets. It receives the units of each group before the group is committed, and may throw.</summary>
    public Action<IReadOnlyList<AcceptUnit>> Given { get; set; } = _ => { };

    /// <summary>
    /// An action that a test sets. It receives the units of each group after the group was committed and before the call of the store
    /// returns, and may throw.
    /// </summary>
    public Action<IReadOnlyList<AcceptUnit>> Stored { get; set; } = _ => { };

    /// <summary>The exception that status reads throw, if set.</summary>
    public Exception? StatusFailure { get; set; }

    /// <summary>The number of units in each group commit.</summary>
    public ConcurrentQueue<int> Groups { get; } = [];

    public int StatusReads => Volatile.Read(ref _statusReads);

    public async Task<IAcceptStore> OpenAcceptAsync(string connectionString, CancellationToken cancellationToken) =>
        new Store(this, await _inner.OpenAcceptAsync(connectionString, cancellationToken));

    public Task<PipelineStore> OpenPipelineAsync(string connectionString, CancellationToken cancellationToken) =>
        _inner.OpenPipelineAsync(connectionString, cancellationToken);

    public Task<IFollowStore> OpenFollowAsync(string connectionString, CancellationToken cancellationToken) =>
        _inner.OpenFollowAsync(connectionString, cancellationToken);

    public Task<MaintenanceStore> OpenMaintenanceAsync(string connectionString, CancellationToken cancellationToken) =>
        _inner.OpenMaintenanceAsync(connectionString, cancellationToken);

    public Migrator CreateMigrator(string connectionString) => _inner.CreateMigrator(connectionString);

    private sealed class Store(WrappedEngine engine, IAcceptStore inner) : IAcceptStore
    {
        public int? ConcurrentUpdates => engine.ConcurrentUpdates;

        public async Task<IReadOnlyList<AcceptResult>> AcceptAsync(
            IReadOnlyList<AcceptUnit> units, HeadFloor floor, CancellationToken cancellationToken)
        {
            engine.Groups.Enqueue(units.Count);
            await engine.BeforeAccept();
            engine.Given(units);
            IReadOnlyList<AcceptResult> results = await inner.AcceptAsync(units, floor, cancellationToken);
            engine.Stored(units);
            await engine.AfterAccept();
            return results;
        }

        public Task CheckWritableAsync(CancellationToken cancellationToken) => inner.CheckWritableAsync(cancellationToken);

        public Task<long> CountPendingAsync(long atMost, CancellationToken cancellationToken) =>
            inner.CountPendingAsync(atMost, cancellationToken);

        public Task<RequestStatus?> ReadStatusAsync(Guid requestId, CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref engine._statusReads);
            return engine.StatusFailure is { } failure
                ? Task.FromException<RequestStatus?>(failure)
                : inner.ReadStatusAsync(requestId, cancellationToken);
        }

        public Task<IReadOnlyList<ErasedVersion>> ReadReceiptAsync(ulong epoch, Guid requestId, CancellationToken cancellationToken) =>
            inner.ReadReceiptAsync(epoch, requestId, cancellationToken);

        public Task<HeadRow> ReadHeadAsync(CancellationToken cancellationToken) => inner.ReadHeadAsync(cancellationToken);

        public Task<DateTimeOffset> ReadClockAsync(CancellationToken cancellationToken) => inner.ReadClockAsync(cancellationToken);

        public Task<HeadRow> WaitForPublishedAsync(ulong? publishedEpoch, TimeSpan timeout, CancellationToken cancellationToken) =>
            inner.WaitForPublishedAsync(publishedEpoch, timeout, cancellationToken);

        public ValueTask DisposeAsync() => inner.DisposeAsync();
    }
}
