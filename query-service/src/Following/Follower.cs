using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Following;

/// <summary>
/// Keeps <see cref="CurrentEpoch"/> at the newest published epoch, which this replica verifies itself. Raises an alarm if it refuses an
/// epoch, or if the database is behind the served epoch. It then tries again, because the operator may restore the right database.
/// </summary>
internal sealed class Follower : BackgroundService
{
    private static readonly TimeSpan s_retry = TimeSpan.FromMilliseconds(500);

    // The pause before a load is tried again. It is longer than other pauses, because a load reads the whole log.
    private static readonly TimeSpan s_retryLoad = TimeSpan.FromSeconds(3);

    private readonly FollowedLog _log;
    private readonly FollowerState _state;
    private readonly TimeProvider _clock;
    private readonly HostFailure _failure;
    private readonly ILogger<Follower> _logger;

    public Follower(FollowedLog log, FollowerState state, TimeProvider clock, HostFailure failure, ILogger<Follower> logger)
    {
        _log = log;
        _state = state;
        _clock = clock;
        _failure = failure;
        _logger = logger;
    }

    /// <inheritdoc/>
    public override Task StartAsync(CancellationToken cancellationToken)
    {
        _log.OpenFolder();
        return base.StartAsync(cancellationToken);
    }

    /// <inheritdoc/>
    public override async Task StopAsync(CancellationToken cancellationToken)
    {
        await base.StopAsync(cancellationToken);
        await _log.EndAsync(cancellationToken);
    }

    /// <inheritdoc/>
    protected override Task ExecuteAsync(CancellationToken stoppingToken) => _failure.RunAsync(RunAsync, _logger.Stopped, stoppingToken);

    private async Task RunAsync(CancellationToken stop)
    {
        while (true)
        {
            Hold? hold = await _log.StepAsync(stop);
            Report(hold);
            if (hold is not null)
            {
                await Task.Delay(!_log.IsLoaded && _state.Anchor is not null ? s_retryLoad : s_retry, _clock, stop);
            }
        }
    }

    // Reports the trouble, or its end, to other parts of the service. Logs it only if it has changed.
    private void Report(Hold? hold)
    {
        string? before = _state.Trouble;
        _state.Trouble = hold?.Why;
        if (hold?.Why == before)
        {
            return;
        }
        switch (hold?.Cause)
        {
            case HoldCause.Waiting:
                _logger.Waiting(hold.Why);
                break;
            case HoldCause.Refused:
                _logger.EpochRefused(hold.Why, hold.Exception);
                break;
            case HoldCause.Database:
                _logger.DatabaseUnavailable(hold.Exception);
                break;
            case HoldCause.Key:
                _logger.KeyUnavailable(hold.Why, hold.Exception);
                break;
            case HoldCause.Disk:
                _logger.FolderUnavailable(hold.Exception);
                break;
            default:
                _logger.Following();
                break;
        }
    }
}
