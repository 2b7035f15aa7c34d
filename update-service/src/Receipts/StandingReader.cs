using Optiks.Storage;

namespace Optiks.UpdateService.Receipts;

/// <summary>
/// Counts the pending updates, and then reads the published epoch, in the order that docs/spec/receipts.md section 5 requires. Only one
/// reading runs at a time, and callers that ask meanwhile share the next one. A flood of receipts therefore costs the database no more than
/// one reading after another. Any thread.
/// </summary>
internal sealed class StandingReader
{
    private readonly IAcceptStore _store;
    private readonly long _atMost;
    private readonly Lock _lock = new();
    private Task<Standing> _running = Task.FromResult(default(Standing));
    private Task<Standing>? _next;

    /// <summary>Counts up to <paramref name="atMost"/>.</summary>
    public StandingReader(IAcceptStore store, long atMost)
    {
        _store = store;
        _atMost = atMost;
    }

    /// <summary>Returns a reading that began after this call. Throws <see cref="StorageException"/>.</summary>
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
            // The updates of later callers may be accepted after this reading's count.
            _running = _next!;
            _next = null;
        }
        // Not cancelled, because several callers share it. The store's time limits end it.
        long pending = await _store.CountPendingAsync(_atMost, CancellationToken.None);
        return new Standing(pending, (await _store.ReadHeadAsync(CancellationToken.None)).PublishedEpoch);
    }
}
