using Microsoft.Extensions.Options;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Storage.Replay;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Periods;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Recovery is what a new holder of the lease does before it writes anything: it makes the log if there is none, proves to itself that the database is the newest copy, rebuilds the
/// trees from its leaves, and finds the epoch that was committed and not published.
/// </summary>
internal sealed class Recovery
{
    private readonly BoardFolder _board;
    private readonly Genesis _genesis;
    private readonly EpochPublisher _publisher;
    private readonly EpochOptions _options;
    private readonly PeriodOptions _periods;
    private readonly WitnessOptions _witnesses;
    private readonly LogKeyOptions _key;
    private readonly TimeProvider _time;
    private readonly ILogger<Recovery> _logger;

    public Recovery(
        BoardFolder board, Genesis genesis, EpochPublisher publisher, IOptions<EpochOptions> options, IOptions<PeriodOptions> periods, IOptions<WitnessOptions> witnesses, IOptions<LogKeyOptions> key,
        TimeProvider time, ILogger<Recovery> logger)
    {
        _options = options.Value;
        _periods = periods.Value;
        _witnesses = witnesses.Value;
        _key = key.Value;
        _time = time;
        _board = board;
        _genesis = genesis;
        _publisher = publisher;
        _logger = logger;
    }

    /// <summary>
    /// RunAsync gives the session. <see cref="StartupException"/> with exit code 4: database and board are not of one time. <see cref="StorageCorruptException"/>: the database
    /// contradicts itself. The caller disposes the session.
    /// </summary>
    public async Task<LogSession> RunAsync(IPipelineStore store, Lease lease, CancellationToken cancellationToken)
    {
        var state = new BoardState(_board);
        HeadRow head = await store.ReadHeadAsync(cancellationToken);
        HighWaterMark? mark = state.Highest();
        if (head.Epoch is null)
        {
            StandingCheck.EmptyDatabase(mark, _board);
            await _genesis.CreateAsync(store, lease, cancellationToken);
            head = await store.ReadHeadAsync(cancellationToken);
        }
        ulong last = head.Epoch ?? throw new StorageCorruptException("The database has no epoch after its first was committed.");
        EpochRow? atMark = mark is null ? null : await store.TryReadEpochAsync(mark.Epoch, cancellationToken);
        StandingCheck.Mark(head, mark, atMark, _board);
        if (last > (head.PublishedEpoch is { } published ? published + 1 : 0))
        {
            throw new StorageCorruptException($"The database's head is at epoch {last}, but its published epoch is {head.PublishedEpoch}.");
        }

        IReadOnlyList<PeriodRow> periods = await store.ReadPeriodsAsync(cancellationToken);
        EpochRow first = await store.ReadEpochAsync(0, cancellationToken);
        PeriodRow period = PeriodRows.Current(periods);
        var identity = LogIdentity.Open(_board.Data, period.Configuration, EpochRecord.Decode(first.Record.Span).LogId, _key.ToUri(), _logger);
        TaskFolder? folder = null;
        LogReplay? replay = null;
        try
        {
            var schedule = new PeriodSchedule(_periods, identity.Anchor.Configuration);
            folder = TaskFolder.TryOpen(_board.Data);
            _board.Create();
            using BoardLock boardLock = await _publisher.LockAsync(store, lease, cancellationToken);
            BoardWriter writer = await BoardWriter.OpenAsync(_board.Log, identity.Anchor.LogKey, Ed25519.Verifier, cancellationToken, _witnesses.Require);
            StandingCheck.Checkpoint(head, mark, writer.Size, _board);

            var rebuild = new TreeRebuild(store, identity.Anchor, new LockedBoard(_board, writer, boardLock), _logger);
            replay = await rebuild.RunAsync(head.PublishedEpoch, periods, new TaskTrees(identity, folder), cancellationToken);
            ulong? saved = replay.RestoredEpoch;
            ulong savedPeriod = replay.Trees.Period;
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

    private async Task<CommittedEpoch> ReadUnfinishedAsync(IPipelineStore store, LogReplay replay, TreeRebuild rebuild, CancellationToken cancellationToken)
    {
        EpochContent content = await store.ReadUnpublishedAsync(cancellationToken)
            ?? throw new StorageCorruptException("The database's head is not published, but its epoch cannot be read.");
        _logger.FinishingEpoch(content.Epoch.Epoch);
        return content.Epoch.Epoch == 0 ? new CommittedEpoch(content, default) : await rebuild.FinishAsync(replay, content, cancellationToken);
    }
}
