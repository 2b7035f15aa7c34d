using System.Globalization;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Buckets;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// StandingCheck compares the three that say how far the log is: the database's head row, the high-water mark, and the board's checkpoint. The database may be one epoch ahead of
/// either, never behind, and neither of these behind what was published.
/// </summary>
internal static class StandingCheck
{
    /// <summary>EmptyDatabase: no epoch in the database is a new log only if there is no trace of an old one.</summary>
    public static void EmptyDatabase(HighWaterMark? mark, BoardFolder board)
    {
        if (mark is not null || board.HasCheckpoint() || board.HasTiles())
        {
            throw Rollback.DatabaseBehind($"The database has no epoch, but {board.Log} holds the board of a log{(mark is null ? "" : Number($" up to epoch {mark.Epoch}"))}.", board);
        }
    }

    /// <summary>EmptyBucket: no epoch in the database is a new log only if the bucket that tasks share has no trace of an old one.</summary>
    public static void EmptyBucket(BucketStanding bucket, BoardFolder board)
    {
        if (bucket.Mark is not null || bucket.Checkpoint is not null)
        {
            throw Rollback.DatabaseBehind($"The database has no epoch, but the bucket has the board of a log{(bucket.Mark is { } mark ? Number($" up to epoch {mark.Epoch}") : "")}.", board);
        }
    }

    /// <summary>
    /// Shared compares the head row with the mark that tasks share in the bucket, and with the folder's own, which is another's where the database has another record for it. <paramref name="atShared"/> and <paramref name="atOwn"/>
    /// are the database's epochs of their numbers. Gives the higher of both marks, for <see cref="Mark"/>.
    /// </summary>
    public static HighWaterMark Shared(HeadRow head, HighWaterMark shared, EpochRow? atShared, HighWaterMark? own, EpochRow? atOwn, BoardFolder board)
    {
        Signed(head, shared, atShared, board);
        if (own is null || own.Epoch > shared.Epoch)
        {
            return own ?? shared;
        }
        return atOwn is not null && own.Names(own.Epoch, atOwn.RecordHash.Span)
            ? shared
            : throw Rollback.Foreign(Number($"The folder {board.State} names another record for epoch {own.Epoch} than the database, whose log goes on to epoch {shared.Epoch} by the bucket's mark."), board);
    }

    /// <summary>Bucket compares the bucket's checkpoint, which is this log's, with head row and mark.</summary>
    public static void Bucket(HeadRow head, HighWaterMark? mark, Checkpoint bucket, BoardFolder board)
    {
        if (bucket.Size > head.Epoch + 1)
        {
            throw Rollback.DatabaseBehind(Number($"The database ends at epoch {head.Epoch}, but the bucket's checkpoint covers epoch {bucket.Size - 1}."), board);
        }
        MarkCovers(mark, bucket.Size - 1, board);
    }

    /// <summary>Mark compares the head row with the high-water mark. <paramref name="atMark"/> is the database's epoch of the mark's number, null when there is none.</summary>
    public static void Mark(HeadRow head, HighWaterMark? mark, EpochRow? atMark, BoardFolder board)
    {
        if (mark is null)
        {
            // Only a genesis that a crash cut short before anything was signed has none.
            if (head.Epoch != 0 || head.PublishedEpoch is not null || board.HasCheckpoint() || board.HasTiles())
            {
                throw Rollback.StateLost($"The database holds a log up to epoch {Number($"{head.Epoch}")}, but {board.HighWater} is missing.", board);
            }
            return;
        }
        Signed(head, mark, atMark, board);
        if (head.PublishedEpoch is { } published)
        {
            MarkCovers(mark, published, board);
        }
    }

    /// <summary>Checkpoint compares head row and mark with the size of the board's checkpoint, 0 when there is none. Where tasks share no folder it <paramref name="mayBeBehind"/>.</summary>
    public static void Checkpoint(HeadRow head, HighWaterMark? mark, ulong boardSize, bool mayBeBehind, BoardFolder board)
    {
        if (boardSize > head.Epoch + 1)
        {
            throw Rollback.DatabaseBehind(Number($"The database ends at epoch {head.Epoch}, but the board's checkpoint covers epoch {boardSize - 1}."), board);
        }
        if (!mayBeBehind && boardSize > 0 && boardSize - 1 < head.PublishedEpoch)
        {
            throw Rollback.BoardBehind(Number($"The board's checkpoint ends at epoch {boardSize - 1}, but epoch {head.PublishedEpoch} was published."), board);
        }
        if (boardSize > 0)
        {
            MarkCovers(mark, boardSize - 1, board);
        }
    }

    /// <summary>
    /// Lead says that the head row is as the holder of the lease left it. An older copy of the database that was put back beneath a running task shows here; a takeover shows as another fence
    /// (<see cref="StorageFencedException"/>).
    /// </summary>
    public static void Lead(HeadRow head, Lease lease, EpochRow last, BoardFolder board)
    {
        if (head.Epoch != last.Epoch || !head.RecordHash.Span.SequenceEqual(last.RecordHash.Span))
        {
            throw head.Fence != lease.Fence && head.Epoch > last.Epoch
                ? new StorageFencedException("Another task has made epochs since.")
                : Rollback.DatabaseBehind(Number($"The database's head is epoch {head.Epoch}, not epoch {last.Epoch} as this task left it."), board);
        }
        Holder(head, lease);
    }

    /// <summary>Holder throws <see cref="StorageFencedException"/> unless the lease is still this one.</summary>
    public static void Holder(HeadRow head, Lease lease)
    {
        if (head.Fence != lease.Fence || head.Holder != lease.Holder)
        {
            throw new StorageFencedException("Another task holds the lease.");
        }
    }

    /// <summary>
    /// AuditProof verifies the board's newest audit proof, from <paramref name="previous"/>, whose period began with <paramref name="periodStart"/>, to <paramref name="last"/>. A disk that failed damages what was written last; all older ones are for
    /// <c>optiks-db fsck</c>.
    /// </summary>
    public static void AuditProof(TrustAnchor anchor, EpochRow periodStart, EpochRow previous, EpochRow last, BoardFolder board)
    {
        string path = Path.Combine(board.Log, AuditProofPath.Of(last.Epoch));
        byte[] proof;
        try
        {
            proof = File.ReadAllBytes(path);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            throw Rollback.BoardDamaged($"The audit proof {path} is missing.", board);
        }
        var context = new VerifierContext { Anchor = anchor, NowMs = EpochRecord.Decode(last.Record.Span).TimeMs };
        AuditVerdict verdict = Verifier.Audit(context, previous.Record.Span, periodStart.Record.Span, proof);
        if (verdict.Reason != Reason.Valid || !verdict.NewRecord.Span.SequenceEqual(last.Record.Span))
        {
            throw Rollback.BoardDamaged($"The audit proof {path} is not that of the database's epoch {Number($"{last.Epoch}")} ({verdict.Reason.Name()}).", board);
        }
    }

    private static void Signed(HeadRow head, HighWaterMark mark, EpochRow? atMark, BoardFolder board)
    {
        if (mark.Epoch > head.Epoch)
        {
            throw Rollback.DatabaseBehind(Number($"The database ends at epoch {head.Epoch}, but epoch {mark.Epoch} was signed already."), board);
        }
        if (atMark is null || !mark.Names(atMark.Epoch, atMark.RecordHash.Span))
        {
            throw Rollback.DatabaseBehind(Number($"The database has another record for epoch {mark.Epoch} than the one that was signed."), board);
        }
    }

    // The mark is raised before an epoch is signed.
    private static void MarkCovers(HighWaterMark? mark, ulong published, BoardFolder board)
    {
        if (mark is null || mark.Epoch < published)
        {
            throw Rollback.StateLost(Number($"Epoch {published} was published, but {board.State} ends at epoch {mark?.Epoch}: an older copy of it was put back."), board);
        }
    }

    private static string Number(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
