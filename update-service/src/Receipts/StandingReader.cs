using Optiks.Storage;

namespace Optiks.UpdateService.Receipts;

/// <summary>
/// StandingReader counts what is pending, and then reads the published epoch: in this order, as docs/spec/receipts.md section 5 has it. One reading at a time, and whoever asks meanwhile shares the
/// next, so that a flood of receipts costs the database no more than one after the other. Any thread.
/// </summary>
internal sealed class StandingReader
{
    private readonly IAcceptStore _store;
    private readonly long _atMost;
    private readonly Lock _lock = new();
    private Task<Standing> _running = Task.FromResult(default(Standing));
    private Task<Standing>? _next;

    /// <summary>StandingReader that counts to <paramref name="atMost"/>.</summary>
    public StandingReader(IAcceptStore store, long atMost)
    {
        _store = store;
        _atMost = atMost;
    }

    /// <summary>ReadAsync gives a reading that began after this call. Throws <see cref="StorageException"/>.</summary>
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
            // Who comes from here on may have been accepted after the count.
            _running = _next!;
            _next = null;
        }
        // For several callers, of whom one may go away. The store's time limits end it.
        long pending = await _store.CountPendingAsync(_atMost, CancellationToken.None);
        return new Standing(pending, (await _store.ReadHeadAsync(CancellationToken.None)).PublishedEpoch);
    }
}
