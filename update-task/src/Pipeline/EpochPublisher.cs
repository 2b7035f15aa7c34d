using Microsoft.Extensions.Options;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Buckets;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Publishes a committed epoch on the board. Every step is durable before the next and produces the same bytes when repeated. After a crash
/// or failure at any point, repeating all steps completes the publication.
/// </summary>
internal sealed class EpochPublisher
{
    private readonly BoardFolder _folder;
    private readonly BucketGuard _guard;
    private readonly EpochOptions _options;
    private readonly ILogger<EpochPublisher> _logger;

    public EpochPublisher(BoardFolder folder, BucketGuard guard, IOptions<EpochOptions> options, ILogger<EpochPublisher> logger)
    {
        _folder = folder;
        _guard = guard;
        _options = options.Value;
        _logger = logger;
    }

    /// <summary>
    /// Takes the board's lock for the holder of the lease. If an update-task keeps the lock beyond the time limit, kills it. Throws
    /// <see cref="IOException"/> if another process keeps the lock.
    /// </summary>
    public async Task<BoardLock> LockAsync(IPipelineStore store, Lease lease, CancellationToken cancellationToken)
    {
        try
        {
            return await LockInTimeAsync(cancellationToken);
        }
        catch (IOException)
        {
            // If this process has lost the lease in the meantime, it must not kill the lease's new holder.
            StandingCheck.CheckHolder(await store.ReadHeadAsync(cancellationToken), lease);
            if (LockHolder.TryKill(_folder.Log) is not { } killed)
            {
                throw;
            }
            _logger.LockHolderKilled(killed);
            return await LockInTimeAsync(cancellationToken);
        }
    }

    /// <summary>Compares the head row with the session's last epoch, as <see cref="StandingCheck.CheckHeadUnchanged"/> does.</summary>
    public async Task CheckHeadAsync(Lead lead, CancellationToken cancellationToken) =>
        StandingCheck.CheckHeadUnchanged(await lead.Store.ReadHeadAsync(cancellationToken), lead.Lease, lead.Session.Last, _folder);

    /// <summary>Publishes the session's unfinished epoch.</summary>
    public async Task PublishAsync(Lead lead, EpochTimes times, CancellationToken cancellationToken)
    {
        (IPipelineStore store, Lease lease, LogSession session) = (lead.Store, lead.Lease, lead.Session);
        CommittedEpoch committed = session.Unfinished ?? throw new InvalidOperationException("There is nothing to publish.");
        EpochRow epoch = committed.Content.Epoch;
        using BoardLock boardLock = await LockAsync(store, lease, cancellationToken);
        // From here on, a shutdown waits until the publication is complete, but it does not wait for the bucket.
        using (times.Measure(EpochStep.Check))
        {
            // The head row may have changed since the commit: then this process is no longer the writer and must not sign.
            await CheckHeadAsync(lead, CancellationToken.None);
        }
        using (times.Measure(EpochStep.Bundle))
        {
            EpochContent content = committed.Content;
            if (content.Erasures.Count > 0)
            {
                // The erasures are read from the database, because it has added the copies of the erased values to them.
                IReadOnlyList<StoredErasure> erasures = await store.ReadErasuresAsync(epoch.Epoch, epoch.Epoch, CancellationToken.None);
                if (session.Replay.Next?.Erase(erasures) is { } refused)
                {
                    throw Rollback.Conflict(refused.Why, _folder);
                }
                content = content with { Erasures = [.. erasures.Select(stored => stored.Erasure)] };
            }
            session.State.Record(content);
            // A shutdown may cancel this call. Whether the mark was raised or not, the next leader publishes the same epoch next.
            await _guard.RaiseAsync(store, lease, epoch, cancellationToken);
        }
        ReadOnlyMemory<byte> note;
        using (times.Measure(EpochStep.Sign))
        {
            note = await SignAsync(session, boardLock, epoch);
        }
        FailPoints.Hit(FailPoints.Sign);
        using (times.Measure(EpochStep.Note))
        {
            await store.StoreCheckpointAsync(lease, epoch.Epoch, epoch.RecordHash, note, CancellationToken.None);
            FailPoints.Hit(FailPoints.Note);
        }
        using (times.Measure(EpochStep.Tiles))
        {
            await session.Board.AppendAsync(boardLock, epoch.Epoch, [epoch.Record], CancellationToken.None);
        }
        FailPoints.Hit(FailPoints.Tiles);
        using (times.Measure(EpochStep.Audit))
        {
            if (epoch.Epoch > 0)
            {
                new DurableFiles(_folder.Log).WriteOnce(AuditProofPath.ForEpoch(epoch.Epoch), committed.AuditProof.Span);
            }
            FailPoints.Hit(FailPoints.Audit);
        }
        using (times.Measure(EpochStep.Checkpoint))
        {
            if (await session.Board.PublishAsync(boardLock, note, CancellationToken.None) == BoardPublishResult.Superseded)
            {
                throw Rollback.DatabaseBehind($"The board has a larger checkpoint than epoch {epoch.Epoch}, the database's last.", _folder);
            }
            FailPoints.Hit(FailPoints.Checkpoint);
        }
        using (times.Measure(EpochStep.Publish))
        {
            await store.PublishAsync(lease, epoch.Epoch, CancellationToken.None);
            FailPoints.Hit(FailPoints.Publish);
        }
        session.Unfinished = null;
        session.State.Prune(epoch.Epoch, _options.KeptBundles);
    }

    private async Task<BoardLock> LockInTimeAsync(CancellationToken cancellationToken)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        timeout.CancelAfter(_options.BoardLockTimeout);
        try
        {
            return await BoardLock.AcquireAsync(_folder.Log, timeout.Token);
        }
        catch (OperationCanceledException e) when (!cancellationToken.IsCancellationRequested)
        {
            throw new IOException($"Another process keeps the lock of {_folder.Log} although this one holds the lease: if it is an update-task on another machine that hangs or is stopped, end it.", e);
        }
    }

    private static async Task<ReadOnlyMemory<byte>> SignAsync(LogSession session, BoardLock boardLock, EpochRow epoch)
    {
        BoardWriter board = session.Board;
        if (board.Size > epoch.Epoch)
        {
            // The writer compares entries that exist already, and does not write them again.
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
