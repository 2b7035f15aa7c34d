using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Buckets;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Compares the three places that record how far the log has progressed: the database's head row, the high-water mark, and the board's
/// checkpoint. The database may be one epoch ahead of the mark and of the checkpoint, but never behind either. Neither the mark nor the
/// checkpoint may be behind the last published epoch.
/// </summary>
internal static class StandingCheck
{
    /// <summary>
    /// Checks that a database without epochs belongs to a new log. If the board has a mark, a checkpoint or tiles, the database is an older
    /// copy, and the method throws <see cref="StartupException"/>.
    /// </summary>
    public static void CheckEmptyDatabase(HighWaterMark? mark, BoardFolder board)
    {
        if (mark is not null || board.HasCheckpoint() || board.HasTiles())
        {
            throw Rollback.DatabaseBehind(
                $"The database has no epoch, but {board.Log} holds the board of a log{(mark is null ? "" : FormattableString.Invariant($" up to epoch {mark.Epoch}"))}.", board);
        }
    }

    /// <summary>
    /// Checks that a database without epochs belongs to a new log. If the bucket that tasks share has a mark or a checkpoint, the database
    /// is an older copy, and the method throws <see cref="StartupException"/>.
    /// </summary>
    public static void CheckEmptyBucket(BucketStanding bucket, BoardFolder board)
    {
        if (bucket.Mark is not null || bucket.Checkpoint is not null)
        {
            throw Rollback.DatabaseBehind(
                $"The database has no epoch, but the bucket has the board of a log{(bucket.Mark is { } mark ? FormattableString.Invariant($" up to epoch {mark.Epoch}") : "")}.", board);
        }
    }

    /// <summary>
    /// Compares the database with the mark that tasks share in the bucket (the parameter <paramref name="shared"/>) and with the folder's
    /// own mark (the parameter <paramref name="own"/>). The parameters <paramref name="atShared"/> and <paramref name="atOwn"/> are the
    /// database's epochs with the numbers of these marks. If the folder's mark names another record than the database, the folder belongs
    /// to another log, and the method throws. Returns the higher mark, which <see cref="CheckMark"/> then checks.
    /// </summary>
    public static HighWaterMark ChooseSharedMark(
        HeadRow head, HighWaterMark shared, EpochRow? atShared, HighWaterMark? own, EpochRow? atOwn, BoardFolder board)
    {
        CheckSigned(head, shared, atShared, board);
        if (own is null || own.Epoch > shared.Epoch)
        {
            return own ?? shared;
        }
        return atOwn is not null && own.Names(own.Epoch, atOwn.RecordHash.Span)
            ? shared
            : throw Rollback.Foreign(
                FormattableString.Invariant(
                    $"The folder {board.State} names another record for epoch {own.Epoch} than the database, whose log reaches epoch {shared.Epoch} according to the bucket's mark."), board);
    }

    /// <summary>
    /// Compares the bucket's checkpoint with the head row and the high-water mark. The caller must have verified that the checkpoint is of
    /// this log.
    /// </summary>
    public static void CheckBucket(HeadRow head, HighWaterMark? mark, Checkpoint bucket, BoardFolder board)
    {
        if (bucket.Size > head.Epoch + 1)
        {
            throw Rollback.DatabaseBehind(
                FormattableString.Invariant(
                    $"The database ends at epoch {head.Epoch}, but the bucket's checkpoint covers epoch {bucket.Size - 1}."), board);
        }
        CheckMarkCovers(mark, bucket.Size - 1, board);
    }

    /// <summary>
    /// Compares the head row with the high-water mark. The parameter <paramref name="atMark"/> is the epoch that the database has under the
    /// mark's number, or null if it has no such epoch.
    /// </summary>
    public static void CheckMark(HeadRow head, HighWaterMark? mark, EpochRow? atMark, BoardFolder board)
    {
        if (mark is null)
        {
            // The mark may be missing only if a crash interrupted the making of the log before anything was signed.
            if (head.Epoch != 0 || head.PublishedEpoch is not null || board.HasCheckpoint() || board.HasTiles())
            {
                throw Rollback.StateLost(
                    $"The database holds a log up to epoch {FormattableString.Invariant($"{head.Epoch}")}, but {board.HighWater} is missing.", board);
            }
            return;
        }
        CheckSigned(head, mark, atMark, board);
        if (head.PublishedEpoch is { } published)
        {
            CheckMarkCovers(mark, published, board);
        }
    }

    /// <summary>
    /// Compares the head row and the mark with the size of the board's checkpoint; the size is 0 if there is no checkpoint. The parameter
    /// <paramref name="mayBeBehind"/> says whether the board may be behind the published epochs. It is true if tasks share no folder.
    /// </summary>
    public static void CheckCheckpoint(HeadRow head, HighWaterMark? mark, ulong boardSize, bool mayBeBehind, BoardFolder board)
    {
        if (boardSize > head.Epoch + 1)
        {
            throw Rollback.DatabaseBehind(
                FormattableString.Invariant(
                    $"The database ends at epoch {head.Epoch}, but the board's checkpoint covers epoch {boardSize - 1}."), board);
        }
        if (!mayBeBehind && boardSize > 0 && boardSize - 1 < head.PublishedEpoch)
        {
            throw Rollback.BoardBehind(
                FormattableString.Invariant(
                    $"The board's checkpoint ends at epoch {boardSize - 1}, but epoch {head.PublishedEpoch} was published."), board);
        }
        if (boardSize > 0)
        {
            CheckMarkCovers(mark, boardSize - 1, board);
        }
    }

    /// <summary>
    /// Checks that the database's head row still has the contents that the holder of the lease wrote. If an older copy of the database has
    /// replaced the current database during the lease, throws <see cref="StartupException"/> with exit code 4. If another task has taken
    /// over, the head row has another fence, and the method throws <see cref="StorageFencedException"/>.
    /// </summary>
    public static void CheckHeadUnchanged(HeadRow head, Lease lease, EpochRow last, BoardFolder board)
    {
        if (head.Epoch != last.Epoch || !head.RecordHash.Span.SequenceEqual(last.RecordHash.Span))
        {
            throw head.Fence != lease.Fence && head.Epoch > last.Epoch
                ? new StorageFencedException("Another task has made epochs in the meantime.")
                : Rollback.DatabaseBehind(
                    FormattableString.Invariant($"The database's head is epoch {head.Epoch}, not epoch {last.Epoch} as this task left it."),
                    board);
        }
        CheckHolder(head, lease);
    }

    /// <summary>Throws <see cref="StorageFencedException"/> unless the head row still names this lease.</summary>
    public static void CheckHolder(HeadRow head, Lease lease)
    {
        if (head.Fence != lease.Fence || head.Holder != lease.Holder)
        {
            throw new StorageFencedException("Another task holds the lease.");
        }
    }

    /// <summary>
    /// Verifies the board's newest audit proof, which leads from the epoch <paramref name="previous"/> to the epoch
    /// <paramref name="last"/>. The parameter <paramref name="periodStart"/> is the first epoch of the previous epoch's period. Only the
    /// newest proof is checked, because a failing disk damages the files that were written last. The command <c>optiks-db fsck</c> checks
    /// all older audit proofs.
    /// </summary>
    public static void CheckAuditProof(TrustAnchor anchor, EpochRow periodStart, EpochRow previous, EpochRow last, BoardFolder board)
    {
        string path = Path.Combine(board.Log, AuditProofPath.ForEpoch(last.Epoch));
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
            throw Rollback.BoardDamaged(
                $"The audit proof {path} does not match the database's epoch {FormattableString.Invariant($"{last.Epoch}")} ({verdict.Reason.Name()}).", board);
        }
    }

    private static void CheckSigned(HeadRow head, HighWaterMark mark, EpochRow? atMark, BoardFolder board)
    {
        if (mark.Epoch > head.Epoch)
        {
            throw Rollback.DatabaseBehind(
                FormattableString.Invariant($"The database ends at epoch {head.Epoch}, but epoch {mark.Epoch} was signed already."), board);
        }
        if (atMark is null || !mark.Names(atMark.Epoch, atMark.RecordHash.Span))
        {
            throw Rollback.DatabaseBehind(
                FormattableString.Invariant($"The database has another record for epoch {mark.Epoch} than the one that was signed."),
                board);
        }
    }

    // Throws if the mark is lower than the published epoch. The mark is raised before an epoch is signed, so a lower mark is an older copy.
    private static void CheckMarkCovers(HighWaterMark? mark, ulong published, BoardFolder board)
    {
        if (mark is null || mark.Epoch < published)
        {
            throw Rollback.StateLost(
                FormattableString.Invariant(
                    $"Epoch {published} was published, but {board.State} ends at epoch {mark?.Epoch}: an older copy of it was put back."),
                    board);
        }
    }
}
