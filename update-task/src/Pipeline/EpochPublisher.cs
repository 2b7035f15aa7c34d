using Microsoft.Extensions.Options;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// EpochPublisher takes a committed epoch to the board. Every step is durable before the next and gives the same octets when it is repeated, so that a crash or failure anywhere is
/// mended by doing all of it again.
/// </summary>
internal sealed class EpochPublisher
{
    private readonly BoardFolder _folder;
    private readonly EpochOptions _options;
    private readonly TaskMetrics _metrics;

    public EpochPublisher(BoardFolder folder, IOptions<EpochOptions> options, TaskMetrics metrics)
    {
        _folder = folder;
        _options = options.Value;
        _metrics = metrics;
    }

    /// <summary>LockAsync takes the board's lock. Throws <see cref="IOException"/> when another process keeps it.</summary>
    public async Task<BoardLock> LockAsync(CancellationToken cancellationToken)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        timeout.CancelAfter(_options.BoardLockTimeout);
        try
        {
            return await BoardLock.AcquireAsync(_folder.Log, timeout.Token);
        }
        catch (OperationCanceledException e) when (!cancellationToken.IsCancellationRequested)
        {
            throw new IOException($"Another process keeps the lock of {_folder.Log} although it does not hold the lease: if it is an update-task that hangs or is stopped, kill it.", e);
        }
    }

    /// <summary>PublishAsync finishes the session's unfinished epoch.</summary>
    public async Task PublishAsync(IPipelineStore store, Lease lease, LogSession session, CancellationToken cancellationToken)
    {
        MadeEpoch made = session.Unfinished ?? throw new InvalidOperationException("There is nothing to publish.");
        EpochRow epoch = made.Content.Epoch;
        using BoardLock boardLock = await LockAsync(cancellationToken);
        // From here on to the end: a shutdown waits.
        await CheckHeadAsync(store, lease, epoch);
        using (_metrics.Step("bundle"))
        {
            session.State.Record(made.Content);
        }
        ReadOnlyMemory<byte> note;
        using (_metrics.Step("sign"))
        {
            note = await SignAsync(session, boardLock, epoch);
            FailPoints.Hit(FailPoints.Sign);
            await store.StoreCheckpointAsync(lease, epoch.Epoch, epoch.RecordHash, note, CancellationToken.None);
            FailPoints.Hit(FailPoints.Note);
        }
        using (_metrics.Step("tiles"))
        {
            await session.Board.AppendAsync(boardLock, epoch.Epoch, [epoch.Record], CancellationToken.None);
            FailPoints.Hit(FailPoints.Tiles);
            if (epoch.Epoch > 0)
            {
                new DurableFiles(_folder.Log).WriteOnce(BoardFolder.AuditPath(epoch.Epoch), made.AuditProof.Span);
            }
            FailPoints.Hit(FailPoints.Audit);
        }
        using (_metrics.Step("checkpoint"))
        {
            if (await session.Board.PublishAsync(boardLock, note, CancellationToken.None) == BoardPublishResult.Superseded)
            {
                throw Rollback.DatabaseBehind($"The board has a larger checkpoint than epoch {epoch.Epoch}, the database's last.", _folder);
            }
            FailPoints.Hit(FailPoints.Checkpoint);
        }
        using (_metrics.Step("publish"))
        {
            await store.PublishAsync(lease, epoch.Epoch, CancellationToken.None);
            FailPoints.Hit(FailPoints.Publish);
        }
        session.Unfinished = null;
        session.State.Prune(epoch.Epoch, _options.KeptBundles);
    }

    // The head may have moved since the commit: then this process is not the writer any more and must not sign.
    private async Task CheckHeadAsync(IPipelineStore store, Lease lease, EpochRow epoch)
    {
        Head head = await store.ReadHeadAsync(CancellationToken.None);
        if (head.Fence != lease.Fence || head.Holder != lease.Holder)
        {
            throw new StorageFencedException("Another task holds the lease.");
        }
        if (head.Epoch != epoch.Epoch || !head.RecordHash.Span.SequenceEqual(epoch.RecordHash.Span))
        {
            throw Rollback.DatabaseBehind($"The database's head is not epoch {epoch.Epoch} as it was committed any more.", _folder);
        }
    }

    private static async Task<ReadOnlyMemory<byte>> SignAsync(LogSession session, BoardLock boardLock, EpochRow epoch)
    {
        BoardWriter board = session.Board;
        if (board.Size > epoch.Epoch)
        {
            // Entries that are there are compared, not written.
            await board.AppendAsync(boardLock, epoch.Epoch, [epoch.Record], CancellationToken.None);
        }
        if (!epoch.Checkpoint.IsEmpty)
        {
            return epoch.Checkpoint;
        }
        TreeHash root = board.Size > epoch.Epoch ? board.Root : board.RootWith(epoch.Record.Span);
        var checkpoint = new Checkpoint(session.Identity.Anchor.Configuration.Origin, epoch.Epoch + 1, root);
        SignedNote note = await SignedNote.SignAsync(checkpoint.Encode(), session.Identity.Signer, CancellationToken.None);
        return note.Encode();
    }
}
