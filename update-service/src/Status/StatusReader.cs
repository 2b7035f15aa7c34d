using Optiks.Storage;

namespace Optiks.UpdateService.Status;

/// <summary>Reads the state of a request, at once or after waiting for its result. Thread-safe.</summary>
internal sealed class StatusReader : IDisposable
{
    // The largest number of reads at the same time. After an epoch, all waiting callers ask at once, and this limit prevents them from
    // slowing down the database's writers.
    private const int MaxConcurrentReads = 8;

    // The pause between two reads of the board while its checkpoint waits for witnesses. The reader must poll, because nothing tells it
    // that another process wrote a file.
    private static readonly TimeSpan s_boardPause = TimeSpan.FromMilliseconds(200);

    private readonly IAcceptStore _store;
    private readonly PublishedEpochs _epochs;
    private readonly CheckpointReach _reach;
    private readonly TimeProvider _time;
    private readonly CancellationToken _stopping;
    private readonly SemaphoreSlim _reads = new(MaxConcurrentReads);

    public StatusReader(IAcceptStore store, PublishedEpochs epochs, CheckpointReach reach, TimeProvider time,
        IHostApplicationLifetime lifetime)
    {
        _store = store;
        _epochs = epochs;
        _reach = reach;
        _time = time;
        _stopping = lifetime.ApplicationStopping;
    }

    /// <summary>
    /// Returns a request's status; null if the id is unknown. While the request is pending, the call waits for at most
    /// <paramref name="wait"/>, and asks the database at most once for each epoch. The wait also ends when the host stops. A request whose
    /// epoch waits for witnesses is still pending.
    /// </summary>
    public async Task<RequestStatus?> ReadAsync(Guid requestId, TimeSpan wait, CancellationToken cancellationToken)
    {
        long start = _time.GetTimestamp();
        while (true)
        {
            Task next = _epochs.Next;
            RequestStatus? status = await ReadStoredAsync(requestId, cancellationToken);
            bool isHeld = status is { State: not RequestState.Pending } && !await _reach.CoversAsync(status.Epoch, cancellationToken);
            if (isHeld)
            {
                status = RequestStatus.Pending;
            }
            TimeSpan left = wait - _time.GetElapsedTime(start);
            if (status is not { State: RequestState.Pending } || left <= TimeSpan.Zero || _stopping.IsCancellationRequested)
            {
                return status;
            }
            using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _stopping);
            await (isHeld
                ? Task.Delay(left < s_boardPause ? left : s_boardPause, _time, either.Token)
                : next.WaitAsync(left, _time, either.Token)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            cancellationToken.ThrowIfCancellationRequested();
        }
    }

    /// <summary>
    /// Returns the status that the database has now; null if the id is unknown. In this status, a request is published even if the
    /// checkpoint of its epoch still waits for witnesses.
    /// </summary>
    public async Task<RequestStatus?> ReadStoredAsync(Guid requestId, CancellationToken cancellationToken)
    {
        await _reads.WaitAsync(cancellationToken);
        try
        {
            return await _store.ReadStatusAsync(requestId, cancellationToken);
        }
        finally
        {
            _reads.Release();
        }
    }

    public void Dispose() => _reads.Dispose();
}
