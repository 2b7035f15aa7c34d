using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Leasing;
using Optiks.UpdateTask.Pipeline;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Hosting;

/// <summary>
/// Runs the task: waits for the lease, recovers, makes epochs, and waits for the lease again after it has lost the lease. Stops the host
/// (<see cref="HostFailure"/>) on errors that a retry cannot repair.
/// </summary>
internal sealed class TaskService : BackgroundService
{
    private readonly LeaseWaiter _waiter;
    private readonly Recovery _recovery;
    private readonly LogWriterFactory _writers;
    private readonly EpochLoop _loop;
    private readonly BoardFolder _board;
    private readonly TaskReport _report;
    private readonly HostFailure _failure;

    public TaskService(LeaseWaiter waiter, Recovery recovery, LogWriterFactory writers, EpochLoop loop, BoardFolder board, TaskReport report, HostFailure failure)
    {
        _waiter = waiter;
        _recovery = recovery;
        _writers = writers;
        _loop = loop;
        _board = board;
        _report = report;
        _failure = failure;
    }

    protected override Task ExecuteAsync(CancellationToken stoppingToken) => _failure.RunAsync(RunAsync, _report.Log.Stopped, stoppingToken);

    private async Task RunAsync(CancellationToken stop)
    {
        await using IPipelineStore store = await _waiter.OpenAsync(stop);
        bool hasLed = false;
        while (true)
        {
            await using LeaseKeeper keeper = await _waiter.AcquireAsync(store, stop);
            try
            {
                await LeadUnlessItHangsAsync(store, keeper, () => hasLed = true, stop);
                return;
            }
            catch (Exception e) when (keeper.HasStalled && !stop.IsCancellationRequested && (e is StorageFencedException or LeaseLostException or OperationCanceledException))
            {
                _report.Log.SteppedDown(e);
                // The wait lets a standby, whose machine may be healthy, take the lease first.
                await _waiter.StandBackAsync(stop);
            }
            catch (Exception e) when (e is StorageFencedException or LeaseLostException)
            {
                _report.Log.SteppedDown(e);
            }
            catch (OperationCanceledException e) when (keeper.Lost.IsCancellationRequested && !stop.IsCancellationRequested)
            {
                _report.Log.SteppedDown(e);
            }
            // The error is in the files of the task's own trees, which are rebuilt if they are damaged. The next recovery finishes the
            // committed epoch.
            catch (OptiksNativeException e) when (e.IsDamage || e.Status == NativeStatus.Io)
            {
                _report.Failed(e, "The task's own files cannot be used. Damaged files are rebuilt from the database.");
                if (e.IsDamage)
                {
                    TaskFolder.Discard(_board.Data);
                }
                await _waiter.PauseAsync(stop);
            }
            catch (Exception e) when (FindReasonToWait(e, hasLed) is { } reason)
            {
                _report.Failed(e, $"The last start could not be finished. {reason}");
                await _waiter.PauseAsync(stop);
            }
            catch (Exception e) when (e is BoardConflictException or StorageCorruptException)
            {
                throw Rollback.Conflict(e.Message, _board, e);
            }
        }
    }

    // Returns why the task tries again after a failed start, or null if the failure ends the process. A start refuses unusable keys, files
    // and settings. If this process has led before, its keys, files and settings were usable: an operator must be changing them now, so
    // the task waits.
    private static string? FindReasonToWait(Exception e, bool hasLed) => e switch
    {
        TrustAnchorException or StartupException { ExitCode: ExitCodes.Configuration } => hasLed ? "The trust anchor or the bucket cannot be used." : null,
        SecretsException when !hasLed => null,
        _ => TemporaryFailure.Describe(e),
    };

    // Leads, but abandons a step that neither ends nor fails, such as a call into a token's library. Another process takes over, and a
    // supervisor restarts this one.
    private async Task LeadUnlessItHangsAsync(IPipelineStore store, LeaseKeeper keeper, Action recovered, CancellationToken stop)
    {
        Task leading = LeadAsync(store, keeper, recovered, stop);
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stop);
        Task hangs = keeper.HangsAsync(ended.Token);
        if (await Task.WhenAny(leading, hangs) == hangs && hangs.IsCompletedSuccessfully)
        {
            throw new StartupException(ExitCodes.Unreachable, "The lease was given up, and a step of an epoch still neither ends nor fails: a device, a file system or a token hangs. The process exits so that it can be restarted.");
        }
        await ended.CancelAsync();
        await leading;
    }

    private async Task LeadAsync(IPipelineStore store, LeaseKeeper keeper, Action recovered, CancellationToken stop)
    {
        _report.Enter(TaskRole.Recovering);
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stop, keeper.Lost);
        await using LogSession session = await _recovery.RunAsync(store, keeper.Lease, ended.Token);
        _report.Enter(TaskRole.Leading);
        recovered();
        await using (LogWriter writer = _writers.Create(store, keeper, session))
        {
            await _loop.RunAsync(writer, keeper, stop);
        }
        // The snapshot is written while this task still holds the lease, so that a successor on this machine can start from the snapshot.
        await session.FinishAsync(CancellationToken.None);
    }
}
