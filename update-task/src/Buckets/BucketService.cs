using Microsoft.Extensions.Options;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Hosting;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// Copies the board to the configured bucket while this task leads. No other part of the task waits for these copies. If epochs are
/// published during a copy, the next copy includes them.
/// </summary>
internal sealed class BucketService : BackgroundService
{
    // The interval at which the service checks the board's checkpoint, which changes with epochs and with cosignatures.
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(200);

    private readonly BucketOptions _options;
    private readonly BoardFolder _board;
    private readonly TaskState _task;
    private readonly BucketState _state;
    private readonly BucketMetrics _metrics;
    private readonly HostFailure _failure;
    private readonly TimeProvider _time;
    private readonly ILogger<BucketService> _logger;

    public BucketService(IOptions<BucketOptions> options, BoardFolder board, TaskState task, BucketState state, BucketMetrics metrics,
        HostFailure failure, TimeProvider time, ILogger<BucketService> logger)
    {
        _options = options.Value;
        _board = board;
        _task = task;
        _state = state;
        _metrics = metrics;
        _failure = failure;
        _time = time;
        _logger = logger;
    }

    protected override Task ExecuteAsync(CancellationToken stoppingToken) =>
        _failure.RunAsync(RunAsync, e => _logger.Stopped(e), stoppingToken);

    private async Task RunAsync(CancellationToken stop)
    {
        await _task.NextPublishedAsync(null, stop);
        using var bucket = new S3ObjectStore(_options);
        var copy = new BucketBoard(
            _board.Log, new CheckpointVerifier(TrustAnchor.Load(_board.Data.TrustAnchor).LogKey, [], Ed25519.Verifier), bucket);
        var local = new DirectoryTileReader(_board.Log);
        byte[]? done = null;
        while (true)
        {
            // Only the leading task copies, so the service waits here while another task leads.
            await _task.NextPublishedAsync(null, stop);
            TimeSpan pause = s_pause;
            try
            {
                byte[]? now = await local.ReadCheckpointAsync(stop);
                if (now is not null && !now.AsSpan().SequenceEqual(done))
                {
                    ulong size = await copy.PublishAsync(stop);
                    done = now;
                    if (_state.Published(size))
                    {
                        _logger.BucketFollows(size);
                    }
                }
            }
            catch (BucketConflictException e)
            {
                _metrics.Failed();
                if (_state.Failed(e.Message))
                {
                    _logger.BucketConflicts(e.Message);
                }
                pause = _options.RetryAfter;
            }
            catch (Exception e) when (e is ObjectStoreException or IOException or UnauthorizedAccessException or InvalidTileException
                or BoardConflictException)
            {
                _metrics.Failed();
                if (_state.Failed(e is ObjectStoreException ? e.Message : "The board cannot be read."))
                {
                    _logger.BucketFails(e.Message, e);
                }
                pause = _options.RetryAfter;
            }
            await Task.Delay(pause, _time, stop);
        }
    }
}
