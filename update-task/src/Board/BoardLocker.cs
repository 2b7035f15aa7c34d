using Microsoft.Extensions.Options;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Pipeline;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Board;

/// <summary>
/// Takes the board's lock for the holder of the lease. If a hanging update-task keeps the lock, this class kills that update-task first.
/// </summary>
internal sealed class BoardLocker
{
    private readonly BoardFolder _folder;
    private readonly TimeSpan _timeout;
    private readonly ILogger<BoardLocker> _logger;

    public BoardLocker(BoardFolder folder, IOptions<EpochOptions> options, ILogger<BoardLocker> logger)
    {
        _folder = folder;
        _timeout = options.Value.BoardLockTimeout;
        _logger = logger;
    }

    /// <summary>
    /// Takes the board's lock. If an update-task on this machine keeps the lock for longer than the option
    /// <see cref="EpochOptions.BoardLockTimeout"/> allows, kills that update-task. Throws <see cref="IOException"/> if a process that must
    /// not be killed keeps the lock.
    /// </summary>
    public async Task<BoardLock> LockAsync(PipelineStore store, Lease lease, CancellationToken cancellationToken)
    {
        try
        {
            return await LockInTimeAsync(cancellationToken);
        }
        catch (IOException)
        {
            // If this process lost the lease while it waited, the process that keeps the board's lock may be the lease's new holder. That
            // process must not be killed, so the next line throws in this case.
            StandingCheck.CheckHolder(await store.ReadHeadAsync(cancellationToken), lease);
            if (LockHolder.TryKill(_folder.Log) is not { } killed)
            {
                throw;
            }
            _logger.LockHolderKilled(killed);
            return await LockInTimeAsync(cancellationToken);
        }
    }

    private async Task<BoardLock> LockInTimeAsync(CancellationToken cancellationToken)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        timeout.CancelAfter(_timeout);
        try
        {
            return await BoardLock.AcquireAsync(_folder.Log, timeout.Token);
        }
        catch (OperationCanceledException e) when (!cancellationToken.IsCancellationRequested)
        {
            throw new IOException(
                $"Another process keeps the lock of {_folder.Log} although this one holds the lease: if it is an update-task on another machine that hangs or is stopped, end it.", e);
        }
    }
}
