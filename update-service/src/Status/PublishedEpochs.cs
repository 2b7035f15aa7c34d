using Optiks.Storage;
using Optiks.UpdateService.Telemetry;

namespace Optiks.UpdateService.Status;

/// <summary>Watches the database for published epochs, on behalf of all callers that wait for one. Thread-safe.</summary>
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
    /// A task that completes when the next epoch is published. Callers must read this property before they read the state that an epoch may
    /// change, so that they miss no epoch.
    /// </summary>
    public Task Next => Volatile.Read(ref _next).Task;

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        // The watch ends as soon as the host begins to stop. It does not wait for the host's last requests to end, because cancelling a
        // read from a database that hangs takes seconds.
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
                    Interlocked.Exchange(ref _next, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously))
                        .SetResult();
                }
            }
            catch (OperationCanceledException) when (stoppingToken.IsCancellationRequested)
            {
                return;
            }
            catch (StorageException e)
            {
                // Waiting callers are not told about the failure; they wait until their time limits. Commits report the same failure to
                // their own callers.
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
