using System.Globalization;
using System.Security.Cryptography;
using Microsoft.Extensions.Options;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Storage.Hosting;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Leasing;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Pipeline;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Hosting;

/// <summary>
/// TaskService is the task's life: wait for the lease, recover, make epochs; whoever loses the lease waits again. What cannot be mended by trying again stops the host
/// (<see cref="HostFailure"/>).
/// </summary>
internal sealed class TaskService : BackgroundService
{
    private static readonly TimeSpan s_retryInterval = TimeSpan.FromSeconds(1);

    private readonly StorageSource _storage;
    private readonly Recovery _recovery;
    private readonly EpochLoop _loop;
    private readonly BoardFolder _board;
    private readonly EpochOptions _options;
    private readonly TaskState _state;
    private readonly TimeProvider _time;
    private readonly HostFailure _failure;
    private readonly ILogger<TaskService> _logger;
    private readonly string _holder;

    public TaskService(
        StorageSource storage,
        Recovery recovery,
        EpochLoop loop,
        BoardFolder board,
        IOptions<EpochOptions> options,
        TaskState state,
        TimeProvider time,
        HostFailure failure,
        ILogger<TaskService> logger)
    {
        _storage = storage;
        _recovery = recovery;
        _loop = loop;
        _board = board;
        _options = options.Value;
        _state = state;
        _time = time;
        _failure = failure;
        _logger = logger;
        // Unique to the process: a restart must not be taken for the holder that it replaces.
        _holder = string.Create(
            CultureInfo.InvariantCulture, $"{Environment.MachineName}/{Environment.ProcessId}/{RandomNumberGenerator.GetHexString(8, lowercase: true)}");
    }

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        try
        {
            await RunAsync(stoppingToken);
        }
        catch (OperationCanceledException) when (stoppingToken.IsCancellationRequested)
        {
            // The shutdown that was asked for.
        }
        catch (Exception e)
        {
            _logger.Stopped(e);
            _failure.Stop(e);
        }
    }

    private async Task RunAsync(CancellationToken stop)
    {
        await using IPipelineStore store = await OpenAsync(stop);
        while (true)
        {
            await using LeaseKeeper keeper = await AcquireAsync(store, stop);
            _logger.LeaseAcquired(keeper.Lease.Fence);
            try
            {
                await LeadAsync(store, keeper, stop);
                return;
            }
            catch (Exception e) when (e is StorageFencedException or LeaseLostException)
            {
                _logger.SteppedDown(e);
            }
            catch (OperationCanceledException e) when (keeper.Lost.IsCancellationRequested && !stop.IsCancellationRequested)
            {
                _logger.SteppedDown(e);
            }
            catch (Exception e) when (e is StorageUnavailableException or IOException or UnauthorizedAccessException)
            {
                _logger.EpochFailed(e);
                _state.Hold("The last start could not be finished: database or board failed.");
                await Task.Delay(s_retryInterval, _time, stop);
            }
            catch (BoardConflictException e)
            {
                throw Rollback.Conflict(e.Message, _board, e);
            }
            catch (StorageCorruptException e)
            {
                throw Rollback.Conflict(e.Message, _board, e);
            }
        }
    }

    private async Task LeadAsync(IPipelineStore store, LeaseKeeper keeper, CancellationToken stop)
    {
        _state.Enter(TaskRole.Recovering);
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stop, keeper.Lost);
        using LogSession session = await _recovery.RunAsync(store, keeper.Lease, ended.Token);
        _state.Enter(TaskRole.Leading);
        await _loop.RunAsync(new Lead(store, keeper, session), stop);
        // With the lease: who takes over on this machine starts from it.
        await session.FinishAsync(CancellationToken.None);
    }

    private async Task<IPipelineStore> OpenAsync(CancellationToken stop)
    {
        while (true)
        {
            try
            {
                return await _storage.OpenPipelineAsync(stop);
            }
            catch (StorageUnavailableException e)
            {
                _logger.DatabaseUnavailable(e);
                _state.Hold("The database is unavailable.");
                await Task.Delay(s_retryInterval, _time, stop);
            }
        }
    }

    private async Task<LeaseKeeper> AcquireAsync(IPipelineStore store, CancellationToken stop)
    {
        bool waiting = false;
        while (true)
        {
            try
            {
                if (await LeaseKeeper.TryAcquireAsync(store, _holder, _options.LeaseDuration, _time, _logger, stop) is { } keeper)
                {
                    return keeper;
                }
                if (!waiting)
                {
                    waiting = true;
                    _logger.Standby(_holder);
                }
                _state.Enter(TaskRole.Standby);
            }
            catch (StorageUnavailableException e)
            {
                _logger.DatabaseUnavailable(e);
                _state.Enter(TaskRole.Starting);
                _state.Hold("The database is unavailable.");
            }
            await Task.Delay(_options.LeasePollInterval, _time, stop);
        }
    }
}
