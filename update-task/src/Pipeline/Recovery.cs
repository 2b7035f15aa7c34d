using Microsoft.Extensions.Options;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Storage.Replay;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Buckets;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Periods;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Does the work of a new holder of the lease before it writes anything. It makes the log if it does not exist, and checks that the
/// database is the newest copy. It rebuilds the trees from the database's leaves, and finds the epoch that was committed but not published.
/// </summary>
internal sealed class Recovery
{
    private readonly BoardFolder _board;
    private readonly BucketGuard _guard;
    private readonly Genesis _genesis;
    private readonly EpochPublisher _publisher;
    private readonly EpochOptions _options;
    private readonly PeriodOptions _periods;
    private readonly WitnessOptions _witnesses;
    private readonly KeySettings _keys;
    private readonly TimeProvider _time;
    private readonly ILogger<Recovery> _logger;

    public Recovery(
        BoardFolder board, BucketGuard guard, Genesis genesis, EpochPublisher publisher, IOptions<EpochOptions> options, IOptions<PeriodOptions> periods, IOptions<WitnessOptions> witnesses, KeySettings keys,
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
        _publisher = publisher;
        _logger = logger;
    }

    /// <summary>
    /// Recovers, and returns the session, which the caller disposes. Throws <see cref="StartupException"/> with exit code 4 if database and
    /// board are from different times, and <see cref="StorageCorruptException"/> if the database contradicts itself.
    /// </summary>
    public async Task<LogSession> RunAsync(IPipelineStore store, Lease lease, CancellationToken cancellationToken)
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
                head, shared, await store.TryReadEpochAsync(shared.Epoch, cancellationToken), own, own is null ? null : await store.TryReadEpochAsync(own.Epoch, cancellationToken), _board)
            : own;
        EpochRow? atMark = mark is null ? null : await store.TryReadEpochAsync(mark.Epoch, cancellationToken);
        StandingCheck.CheckMark(head, mark, atMark, _board);
        if (last > (head.PublishedEpoch is { } published ? published + 1 : 0))
        {
            throw new StorageCorruptException($"The database's head is at epoch {last}, but its published epoch is {head.PublishedEpoch}.");
        }

        IReadOnlyList<PeriodRow> periods = await store.ReadPeriodsAsync(cancellationToken);
        EpochRow first = await store.ReadEpochAsync(0, cancellationToken);
        PeriodRow period = PeriodRows.Current(periods);
        var identity = LogIdentity.Open(_board.Data, period.Configuration, EpochRecord.Decode(first.Record.Span).LogId, _keys, _logger);
        TaskFolder? folder = null;
        LogReplay? replay = null;
        try
        {
            var schedule = new PeriodSchedule(_periods, identity.Anchor.Configuration);
            folder = TaskFolder.TryOpen(_board.Data);
            _board.Create();
            using BoardLock boardLock = await _publisher.LockAsync(store, lease, cancellationToken);
            BoardWriter writer = await BoardWriter.OpenAsync(_board.Log, identity.Anchor.LogKey, Ed25519.Verifier, cancellationToken, _witnesses.Require);
            StandingCheck.CheckCheckpoint(head, mark, writer.Size, mayBeBehind: _guard.KeepsMark, _board);
            Checkpoint? copied = OpenCopy(bucket, identity, mark, head);
            if (own?.Epoch < mark?.Epoch)
            {
                state.Forget();
            }

            var rebuild = new TreeRebuild(store, identity.Anchor, new LockedBoard(_board, writer, boardLock), _logger);
            replay = await rebuild.RunAsync(head.PublishedEpoch, periods, new TaskTrees(identity, folder), cancellationToken);
            ulong? saved = replay.RestoredEpoch;
            ulong savedPeriod = replay.Trees.Period;
            if (copied is not null)
            {
                await CompareCopyAsync(copied, writer, await store.ReadEpochAsync(last, cancellationToken), cancellationToken);
            }
            CommittedEpoch? unfinished = head.PublishedEpoch == last ? null : await ReadUnfinishedAsync(store, replay, rebuild, cancellationToken);
            folder?.DeleteBefore(period.Period);
            SnapshotSaver? MakeSaver(ulong ofPeriod, ulong? epoch) =>
                folder is null ? null : new SnapshotSaver(folder.Snapshot(ofPeriod), _options.SnapshotInterval, epoch, _time, _logger);
            return new LogSession
            {
                Identity = identity,
                Replay = replay,
                MakeSaver = MakeSaver,
                Saver = MakeSaver(period.Period, savedPeriod == period.Period ? saved : null),
                Folder = folder,
                Board = writer,
                State = state,
                Period = period,
                PeriodStart = await store.ReadEpochAsync(period.FirstEpoch!.Value, cancellationToken),
                Schedule = schedule,
                Unfinished = unfinished,
            };
        }
        catch
        {
            replay?.Dispose();
            folder?.Dispose();
            identity.Dispose();
            throw;
        }
    }

    // Opens the bucket's checkpoint. A checkpoint of another log concerns only the service that copies to the bucket, unless tasks share
    // the bucket instead of a folder.
    private Checkpoint? OpenCopy(BucketStanding bucket, LogIdentity identity, HighWaterMark? mark, HeadRow head)
    {
        if (bucket.Checkpoint is not { } note)
        {
            return null;
        }
        if (!new CheckpointVerifier(identity.Anchor.LogKey, [], Ed25519.Verifier).TryOpen(note, out SignedCheckpoint? opened, out TlogError error))
        {
            return !_guard.KeepsMark ? null
                : throw new StartupException(ExitCodes.Configuration, $"The bucket's checkpoint is not from this log ({error}): name another bucket or prefix, or find out who wrote it. Nothing was signed.");
        }
        StandingCheck.CheckBucket(head, mark, opened.Checkpoint, _board);
        return opened.Checkpoint;
    }

    // Compares the bucket's checkpoint with the board's files, which have already been compared with the database's log.
    private async Task CompareCopyAsync(Checkpoint copied, BoardWriter writer, EpochRow last, CancellationToken cancellationToken)
    {
        TreeHash root;
        try
        {
            root = copied.Size == writer.Size ? writer.Root
                : copied.Size > writer.Size ? writer.RootWith(last.Record.Span)
                : await ConsistencyProof.OldRootAsync(new HashReader(new DirectoryTileReader(_board.Log), writer.Size, writer.Root), copied.Size, cancellationToken);
        }
        catch (InvalidTileException e)
        {
            throw Rollback.BoardDamaged(e.Message, _board);
        }
        if (root != copied.Root)
        {
            throw Rollback.Conflict($"The bucket's checkpoint of size {copied.Size} and the database's log contradict each other, and the log signed it.", _board);
        }
    }

    private async Task<CommittedEpoch> ReadUnfinishedAsync(IPipelineStore store, LogReplay replay, TreeRebuild rebuild, CancellationToken cancellationToken)
    {
        EpochContent content = await store.ReadUnpublishedAsync(cancellationToken)
            ?? throw new StorageCorruptException("The database's head is not published, but its epoch cannot be read.");
        _logger.FinishingEpoch(content.Epoch.Epoch);
        return content.Epoch.Epoch == 0 ? new CommittedEpoch(content, default) : await rebuild.FinishAsync(replay, content, cancellationToken);
    }
}
