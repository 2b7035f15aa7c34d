using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Leasing;
using Optiks.UpdateTask.Pipeline;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Hosting;

/// <summary>
/// TaskService is the task's life: wait for the lease, recover, make epochs; whoever loses the lease waits again. What cannot be mended by trying again stops the host
/// (<see cref="HostFailure"/>).
/// </summary>
internal sealed class TaskService : BackgroundService
{
    private readonly LeaseWaiter _waiter;
    private readonly Recovery _recovery;
    private readonly EpochLoop _loop;
    private readonly BoardFolder _board;
    private readonly TaskState _state;
    private readonly HostFailure _failure;
    private readonly ILogger<TaskService> _logger;

    public TaskService(LeaseWaiter waiter, Recovery recovery, EpochLoop loop, BoardFolder board, TaskState state, HostFailure failure, ILogger<TaskService> logger)
    {
        _waiter = waiter;
        _recovery = recovery;
        _loop = loop;
        _board = board;
        _state = state;
        _failure = failure;
        _logger = logger;
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
        await using IPipelineStore store = await _waiter.OpenAsync(stop);
        while (true)
        {
            await using LeaseKeeper keeper = await _waiter.AcquireAsync(store, stop);
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
                await _waiter.PauseAsync(stop);
            }
            catch (Exception e) when (e is BoardConflictException or StorageCorruptException)
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
}
