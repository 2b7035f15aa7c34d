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
/// Runs the task. It waits for the lease, recovers the log's state, and makes epochs. After losing the lease, it waits for the lease again.
/// If an error occurs that a retry cannot repair, it stops the process (the class <see cref="HostFailure"/>).
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

    public TaskService(LeaseWaiter waiter, Recovery recovery, LogWriterFactory writers, EpochLoop loop, BoardFolder board,
        TaskReport report, HostFailure failure)
    {
        _waiter = waiter;
        _recovery = recovery;
        _writers = writers;
        _loop = loop;
        _board = board;
        _report = report;
        _failure = failure;
    }

    protected override Task ExecuteAsync(CancellationToken stoppingToken) =>
        _failure.RunAsync(RunAsync, _report.Log.Stopped, stoppingToken);

    private async Task RunAsync(CancellationToken stop)
    {
        await using PipelineStore store = await _waiter.OpenAsync(stop);
        bool hasLed = false;
        while (true)
        {
            await using LeaseKeeper keeper = await _waiter.AcquireAsync(store, stop);
            try
            {
                await LeadUnlessItHangsAsync(store, keeper, () => hasLed = true, stop);
                return;
            }
            catch (Exception e) when (keeper.HasStalled && !stop.IsCancellationRequested
                && (e is StorageFencedException or LeaseLostException or OperationCanceledException))
            {
                _report.Log.SteppedDown(e);
                // This task made no progress, so it waits here and lets a standby take the lease first: the standby's machine may be
                // healthy.
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
            // This exception means that the files of the task's own trees cannot be used. Damaged files are deleted, and the next recovery
            // rebuilds them and finishes the committed epoch.
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

    // Returns why the task tries again after a failure, or null if the failure ends the process. Unusable keys, files or settings end a
    // process that has never led. If the process has led before, they were usable then, so an operator is probably changing them now, and
    // the task waits.
    private static string? FindReasonToWait(Exception e, bool hasLed) => e switch
    {
        TrustAnchorException or StartupException { ExitCode: ExitCodes.Configuration } =>
            hasLed ? "The trust anchor or the bucket cannot be used." : null,
        SecretsException when !hasLed => null,
        _ => TemporaryFailure.Describe(e),
    };

    // Leads the log until the lease ends. If a step neither ends nor fails, such as a call into a token's library, this method does not
    // wait for the step and ends the process. Another task then takes over, and a supervisor restarts this process.
    private async Task LeadUnlessItHangsAsync(PipelineStore store, LeaseKeeper keeper, Action recovered, CancellationToken stop)
    {
        Task leading = LeadAsync(store, keeper, recovered, stop);
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stop);
        Task hangs = keeper.HangsAsync(ended.Token);
        if (await Task.WhenAny(leading, hangs) == hangs && hangs.IsCompletedSuccessfully)
        {
            throw new StartupException(
                ExitCodes.Unreachable,
                "The lease was given up, and a step of an epoch still neither ends nor fails: a device, a file system or a token hangs. The process exits so that it can be restarted.");
        }
        await ended.CancelAsync();
        await leading;
    }

    private async Task LeadAsync(PipelineStore store, LeaseKeeper keeper, Action recovered, CancellationToken stop)
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
