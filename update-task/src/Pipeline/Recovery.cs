using Microsoft.Extensions.Options;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Buckets;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Periods;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Prepares a new holder of the lease for making epochs. It makes the log if the log does not exist yet, and checks that the database is
/// the newest copy. It rebuilds the trees from the database's leaves. It also finds an epoch that was committed but not published.
/// </summary>
internal sealed class Recovery
{
    private readonly BoardFolder _board;
    private readonly BucketGuard _guard;
    private readonly Genesis _genesis;
    private readonly BoardLocker _locker;
    private readonly EpochOptions _options;
    private readonly PeriodOptions _periods;
    private readonly WitnessOptions _witnesses;
    private readonly KeySettings _keys;
    private readonly TimeProvider _time;
    private readonly ILogger<Recovery> _logger;

    public Recovery(
        BoardFolder board, BucketGuard guard, Genesis genesis, BoardLocker locker, IOptions<EpochOptions> options,
        IOptions<PeriodOptions> periods, IOptions<WitnessOptions> witnesses, KeySettings keys,
        TimeProvider time, ILogger<Recovery> logger)
    {
        _options = options.Value;
        _periods = periods.Value;
        _witnesses = witnesses.Value;
        _keys = keys;
        _time = time;
        _board = board;
        _guard = guard;
        _genesis = genesis;
        _locker = locker;
        _logger = logger;
    }

    /// <summary>
    /// Recovers the log's state and returns a session with it, which the caller must dispose. Throws <see cref="StartupException"/> with
    /// exit code 4 if the database or the board is an older copy. Throws <see cref="StorageCorruptException"/> if the database contradicts
    /// itself.
    /// </summary>
    public async Task<LogSession> RunAsync(PipelineStore store, Lease lease, CancellationToken cancellationToken)
    {
        Standing standing = await CheckStandingAsync(store, lease, cancellationToken);
        IReadOnlyList<PeriodRow> periods = await store.ReadPeriodsAsync(cancellationToken);
        EpochRow first = await store.ReadEpochAsync(0, cancellationToken);
        var identity = LogIdentity.Open(
            _board.Data, PeriodRows.Current(periods).Configuration, EpochRecord.Decode(first.Record.Span).LogId, _keys, _logger);
        TaskFolder? folder = null;
        try
        {
            folder = TaskFolder.TryOpen(_board.Data);
            _board.Create();
            using BoardLock boardLock = await _locker.LockAsync(store, lease, cancellationToken);
            BoardWriter writer = await OpenBoardAsync(standing, identity, cancellationToken);
            return await RebuildAsync(
                store, standing, periods, identity, folder, new LockedBoard(_board, writer, boardLock), cancellationToken);
        }
        catch
        {
            folder?.Dispose();
            identity.Dispose();
            throw;
        }
    }

    // Makes the log if it does not exist yet. Compares the database's head row with the high-water marks in the folder and in the bucket.
    private async Task<Standing> CheckStandingAsync(PipelineStore store, Lease lease, CancellationToken cancellationToken)
    {
        var state = new BoardState(_board);
        HeadRow head = await store.ReadHeadAsync(cancellationToken);
        HighWaterMark? own = state.Highest();
        BucketStanding bucket = await _guard.ReadAsync(cancellationToken);
        if (head.Epoch is null)
        {
            StandingCheck.CheckEmptyDatabase(own, _board);
            if (_guard.KeepsMark)
            {
                StandingCheck.CheckEmptyBucket(bucket, _board);
            }
            await _genesis.CreateAsync(store, lease, cancellationToken);
            head = await store.ReadHeadAsync(cancellationToken);
        }
        ulong last = head.Epoch ?? throw new StorageCorruptException("The database has no epoch after its first was committed.");
        HighWaterMark? mark = bucket.Mark is { } shared
            ? StandingCheck.ChooseSharedMark(
                head, shared, await store.TryReadEpochAsync(shared.Epoch, cancellationToken), own,
                own is null ? null : await store.TryReadEpochAsync(own.Epoch, cancellationToken), _board)
            : own;
        EpochRow? atMark = mark is null ? null : await store.TryReadEpochAsync(mark.Epoch, cancellationToken);
        StandingCheck.CheckMark(head, mark, atMark, _board);
        if (last > (head.PublishedEpoch is { } published ? published + 1 : 0))
        {
            throw new StorageCorruptException($"The database's head is at epoch {last}, but its published epoch is {head.PublishedEpoch}.");
        }
        return new Standing(state, head, last, mark, bucket) { IsFolderBehind = own?.Epoch < mark?.Epoch };
    }

    // Opens the board and compares its checkpoint with the database's head row and the high-water mark. The caller must hold the board's
    // lock.
    private async Task<BoardWriter> OpenBoardAsync(Standing standing, LogIdentity identity, CancellationToken cancellationToken)
    {
        BoardWriter writer = await BoardWriter.OpenAsync(
            _board.Log, identity.Anchor.LogKey, Ed25519.Verifier, cancellationToken, _witnesses.Require);
        StandingCheck.CheckCheckpoint(standing.Head, standing.Mark, writer.Size, mayBeBehind: _guard.KeepsMark, _board);
        return writer;
    }

    // Rebuilds the trees and the board's missing files from the database, and makes the session. The session takes over the parameters
    // `identity` and `folder` and disposes them.
    private async Task<LogSession> RebuildAsync(
        PipelineStore store, Standing standing, IReadOnlyList<PeriodRow> periods, LogIdentity identity, TaskFolder? folder,
        LockedBoard board, CancellationToken cancellationToken)
    {
        HeadRow head = standing.Head;
        PeriodRow period = PeriodRows.Current(periods);
        Checkpoint? copied = OpenCopy(standing.Bucket, identity, standing.Mark, head);
        if (standing.IsFolderBehind)
        {
            standing.State.Forget();
        }
        var rebuild = new TreeRebuild(store, identity.Anchor, board, _logger);
        LogReplay replay = await rebuild.RunAsync(head.PublishedEpoch, periods, new TaskTrees(identity, folder), cancellationToken);
        try
        {
            ulong? saved = replay.Trees.Period == period.Period ? replay.RestoredEpoch : null;
            if (copied is not null)
            {
                await CompareCopyAsync(copied, board.Writer, await store.ReadEpochAsync(standing.Last, cancellationToken),
                    cancellationToken);
            }
            CommittedEpoch? unfinished = head.PublishedEpoch == standing.Last
                ? null
                : await ReadUnfinishedAsync(store, replay, rebuild, cancellationToken);
            folder?.DeleteBefore(period.Period);
            SnapshotSaver? MakeSaver(ulong ofPeriod, ulong? epoch) =>
                folder is null ? null : new SnapshotSaver(folder.Snapshot(ofPeriod), _options.SnapshotInterval, epoch, _time, _logger);
            return new LogSession
            {
                Identity = identity,
                Replay = replay,
                MakeSaver = MakeSaver,
                Saver = MakeSaver(period.Period, saved),
                Folder = folder,
                Board = board.Writer,
                State = standing.State,
                Period = period,
                PeriodStart = await store.ReadEpochAsync(period.FirstEpoch!.Value, cancellationToken),
                Schedule = new PeriodSchedule(_periods, identity.Anchor.Configuration),
                Unfinished = unfinished,
            };
        }
        catch
        {
            replay.Dispose();
            throw;
        }
    }

    // Opens the bucket's checkpoint; returns null if the bucket has no checkpoint. If the checkpoint is of another log, this method throws
    // only where tasks share the bucket instead of a folder. Elsewhere it returns null, and the service that copies the board to the bucket
    // reports the conflict.
    private Checkpoint? OpenCopy(BucketStanding bucket, LogIdentity identity, HighWaterMark? mark, HeadRow head)
    {
        if (bucket.Checkpoint is not { } note)
        {
            return null;
        }
        if (!new CheckpointVerifier(identity.Anchor.LogKey, [], Ed25519.Verifier).TryOpen(
            note, out SignedCheckpoint? opened, out TlogError error))
        {
            return !_guard.KeepsMark ? null
                : throw new StartupException(
                    ExitCodes.Configuration,
                    $"The bucket's checkpoint is not from this log ({error}): name another bucket or prefix, or find out who wrote it. Nothing was signed.");
        }
        StandingCheck.CheckBucket(head, mark, opened.Checkpoint, _board);
        return opened.Checkpoint;
    }

    // Compares the bucket's checkpoint with the board's files. The board's files have already been compared with the database.
    private async Task CompareCopyAsync(Checkpoint copied, BoardWriter writer, EpochRow last, CancellationToken cancellationToken)
    {
        TreeHash root;
        try
        {
            root = copied.Size == writer.Size ? writer.Root
                : copied.Size > writer.Size ? writer.RootWith(last.Record.Span)
                : await ConsistencyProof.OldRootAsync(
                    new HashReader(new DirectoryTileReader(_board.Log), writer.Size, writer.Root), copied.Size, cancellationToken);
        }
        catch (InvalidTileException e)
        {
            throw Rollback.BoardDamaged(e.Message, _board);
        }
        if (root != copied.Root)
        {
            throw Rollback.Conflict(
                $"The bucket's checkpoint of size {copied.Size} and the database's log contradict each other, and the log signed it.",
                _board);
        }
    }

    private async Task<CommittedEpoch> ReadUnfinishedAsync(
        PipelineStore store, LogReplay replay, TreeRebuild rebuild, CancellationToken cancellationToken)
    {
        EpochContent content = await store.ReadUnpublishedAsync(cancellationToken)
            ?? throw new StorageCorruptException("The database's head is not published, but its epoch cannot be read.");
        _logger.FinishingEpoch(content.Epoch.Epoch);
        return content.Epoch.Epoch == 0
            ? new CommittedEpoch(content, default)
            : await rebuild.FinishAsync(replay, content, cancellationToken);
    }

    // The log's progress according to the database, the folder and the bucket, once they have been compared. The property `Last` is the
    // database's last epoch, and `Mark` is the higher of the folder's and the bucket's high-water marks. The property `IsFolderBehind` says
    // whether the folder's mark is lower than the bucket's.
    private sealed record Standing(BoardState State, HeadRow Head, ulong Last, HighWaterMark? Mark, BucketStanding Bucket)
    {
        public required bool IsFolderBehind { get; init; }
    }
}
