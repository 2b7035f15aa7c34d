using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Buckets;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Publishes a committed epoch on the board. Each step is durable before the next step begins, and it writes the same bytes when it is
/// repeated. After a crash or failure at any point, the task repeats all steps to complete the publication.
/// </summary>
internal sealed class EpochPublisher
{
    private readonly LeasedLog _log;
    private readonly BoardFolder _folder;
    private readonly BucketGuard _guard;
    private readonly int _keptBundles;

    public EpochPublisher(LeasedLog log, BoardFolder folder, BucketGuard guard, int keptBundles)
    {
        _log = log;
        _folder = folder;
        _guard = guard;
        _keptBundles = keptBundles;
    }

    /// <summary>Publishes the session's unfinished epoch, which is committed but not published.</summary>
    public async Task PublishAsync(EpochTimes times, CancellationToken cancellationToken)
    {
        (PipelineStore store, Lease lease, LogSession session) = (_log.Store, _log.Lease, _log.Session);
        CommittedEpoch committed = session.Unfinished ?? throw new InvalidOperationException("There is nothing to publish.");
        EpochRow epoch = committed.Content.Epoch;
        using BoardLock boardLock = await _log.LockBoardAsync(cancellationToken);
        // From here on, a shutdown waits until the publication is complete. The only exception is the call to the bucket, which a shutdown
        // cancels.
        using (times.Measure(EpochStep.Check))
        {
            // If the database's head row has changed since the commit, this process is no longer the writer and must not sign.
            await _log.CheckHeadAsync(CancellationToken.None);
        }
        using (times.Measure(EpochStep.Bundle))
        {
            EpochContent content = committed.Content;
            if (content.Erasures.Count > 0)
            {
                // The list of erasures is read from the database again, because the transaction has added the copies of the erased values
                // to the list.
                IReadOnlyList<StoredErasure> erasures = await store.ReadErasuresAsync(epoch.Epoch, epoch.Epoch, CancellationToken.None);
                if (session.Replay.Next?.Erase(erasures) is { } refused)
                {
                    throw Rollback.Conflict(refused.Why, _folder);
                }
                content = content with { Erasures = [.. erasures.Select(stored => stored.Erasure)] };
            }
            session.State.Record(content);
            // A shutdown may cancel this call. That is safe whether or not the mark was raised, because the next leader publishes the same
            // epoch.
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
        session.State.Prune(epoch.Epoch, _keptBundles);
    }

    private static async Task<ReadOnlyMemory<byte>> SignAsync(LogSession session, BoardLock boardLock, EpochRow epoch)
    {
        BoardWriter board = session.Board;
        if (board.Size > epoch.Epoch)
        {
            // The board already has this epoch's entry. The writer does not write such an entry again, but compares it with the given
            // record.
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
