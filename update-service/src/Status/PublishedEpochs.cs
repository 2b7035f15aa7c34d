using Optiks.Storage;
using Optiks.UpdateService.Telemetry;

namespace Optiks.UpdateService.Status;

/// <summary>Watches for published epochs on behalf of any number of waiting callers. Thread-safe.</summary>
internal sealed class PublishedEpochs : BackgroundService
{
    private static readonly TimeSpan s_wait = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);

    private readonly IAcceptStore _store;
    private readonly TimeProvider _time;
    private readonly CancellationToken _stopping;
    private readonly ILogger<PublishedEpochs> _logger;
    private TaskCompletionSource _next = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public PublishedEpochs(IAcceptStore store, TimeProvider time, IHostApplicationLifetime lifetime, ILogger<PublishedEpochs> logger)
    {
        _store = store;
        _time = time;
        _stopping = lifetime.ApplicationStopping;
        _logger = logger;
    }

    /// <summary>
    /// Completes when an epoch is published after this property was read. To miss no epoch, a caller must read this property before it
    /// reads the state that an epoch may change.
    /// </summary>
    public Task Next => Volatile.Read(ref _next).Task;

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        // The watch ends when the host begins to stop, and not after the host's last requests, because cancelling a read from a database
        // that hangs takes seconds.
        using var either = CancellationTokenSource.CreateLinkedTokenSource(stoppingToken, _stopping);
        await WatchAsync(either.Token);
    }

    private async Task WatchAsync(CancellationToken stoppingToken)
    {
        ulong? last = null;
        bool isDown = false;
        while (!stoppingToken.IsCancellationRequested)
        {
            try
            {
                HeadRow head = await _store.WaitForPublishedAsync(last, s_wait, stoppingToken);
                if (isDown)
                {
                    isDown = false;
                    _logger.WatchingAgain();
                }
                if (head.PublishedEpoch is { } published && (last is null || published > last))
                {
                    last = published;
                    Interlocked.Exchange(ref _next, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).SetResult();
                }
            }
            catch (OperationCanceledException) when (stoppingToken.IsCancellationRequested)
            {
                return;
            }
            catch (StorageException e)
            {
                // Nothing is reported to waiting callers: they wait until their time limits. Commits report the same failure to their
                // callers.
                if (!isDown)
                {
                    isDown = true;
                    _logger.WatchFailed(e);
                }
                await Task.Delay(s_retry, _time, stoppingToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }
}
