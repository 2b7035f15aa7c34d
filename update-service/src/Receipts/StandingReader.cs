using Optiks.Storage;

namespace Optiks.UpdateService.Receipts;

/// <summary>
/// Counts the pending updates, and then reads the published epoch; docs/spec/receipts.md section 5 requires this order. Only one reading
/// runs at a time, and all callers that ask during a reading share the next one. So even if very many callers want receipts, the database
/// does only one reading at a time. Thread-safe.
/// </summary>
internal sealed class StandingReader
{
    private readonly IAcceptStore _store;
    private readonly long _atMost;
    private readonly Lock _lock = new();
    private Task<Standing> _running = Task.FromResult(default(Standing));
    private Task<Standing>? _next;

    /// <summary>Creates a reader that counts pending updates only up to the limit <paramref name="atMost"/>.</summary>
    public StandingReader(IAcceptStore store, long atMost)
    {
        _store = store;
        _atMost = atMost;
    }

    /// <summary>
    /// Returns the result of a reading that begins after this call. Throws <see cref="StorageException"/> if the database fails.
    /// </summary>
    public Task<Standing> ReadAsync()
    {
        lock (_lock)
        {
            return _next ??= Task.Run(ReadNextAsync);
        }
    }

    private async Task<Standing> ReadNextAsync()
    {
        Task before;
        lock (_lock)
        {
            before = _running;
        }
        await before.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        lock (_lock)
        {
            // Callers that ask from now on must not share this reading, because their updates may be accepted after its count.
            _running = _next!;
            _next = null;
        }
        // The reading cannot be cancelled, because several callers share it. The store's time limits end it.
        long pending = await _store.CountPendingAsync(_atMost, CancellationToken.None);
        return new Standing(pending, (await _store.ReadHeadAsync(CancellationToken.None)).PublishedEpoch);
    }
}
