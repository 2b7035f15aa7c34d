using System.Diagnostics;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Rebuilds the log's trees as they were at an epoch. It starts from a snapshot and replays the later epochs, or uses only the database. It
/// compares the board's newest files with the database. If the board was lost or is behind, it rebuilds the board at the same time.
/// </summary>
internal sealed class TreeRebuild
{
    // The number of records that one call appends to the board. It is a multiple of the number of records in a full tile. It equals the
    // largest number of epochs that one call reads from the store.
    private const ulong RecordsPerAppend = 16 * TilePath.FullWidth;

    private readonly PipelineStore _store;
    private readonly TrustAnchor _anchor;
    private readonly LockedBoard _board;
    private readonly ILogger _logger;

    public TreeRebuild(PipelineStore store, TrustAnchor anchor, LockedBoard board, ILogger logger)
    {
        _store = store;
        _anchor = anchor;
        _board = board;
        _logger = logger;
    }

    /// <summary>
    /// Returns the trees of the last published epoch, or of epoch 0 if no epoch is published. The caller must dispose the result. Throws
    /// <see cref="StartupException"/> with exit code 4 if the database contradicts itself or the board, or if the board contradicts itself.
    /// </summary>
    /// <param name="published">The last published epoch; null if no epoch is published.</param>
    /// <param name="periods">The log's periods.</param>
    /// <param name="trees">The object that makes the trees of each period.</param>
    /// <param name="cancellationToken">Cancels the load.</param>
    public async Task<LogReplay> RunAsync(
        ulong? published, IReadOnlyList<PeriodRow> periods, TaskTrees trees, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        ulong target = published ?? 0;
        // If the board is behind, it is continued from its last epoch. If it was lost, it is rebuilt from epoch 0.
        bool isBoardBehind = published is not null && _board.Writer.Size <= target;
        ulong first = !isBoardBehind ? target : _board.Writer.Size == 0 ? 0 : _board.Writer.Size - 1;
        // The board's last epoch may be in a period whose secrets are destroyed. Such a period has no snapshot, so the log is then replayed
        // from its beginning, with trees that have no secrets.
        bool isFromBeginning = isBoardBehind
            && (first == 0 || periods.Last(period => period.FirstEpoch <= first).State is not (PeriodState.Current or PeriodState.Ended));
        PeriodRow period = isFromBeginning ? periods[0] : PeriodRows.At(periods, first);
        LogReplay? restored = isFromBeginning ? null : await TryRestoreAsync(first, period, trees, cancellationToken);
        LogReplay replay = restored ?? CreateReplay(trees.Create(period), trees);
        try
        {
            if (restored is null)
            {
                ThrowIfRefused(await replay.LoadAsync(first, cancellationToken));
            }
            if (_board.Writer.Size > 0)
            {
                await CompareBoardAsync(cancellationToken);
            }
            if (isBoardBehind)
            {
                await RenderAsync(replay, target, cancellationToken);
            }
            ulong leaves = replay.Trees.Directory.Stats.Leaves;
            double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
            _logger.TreeRebuilt(target, leaves, seconds);
            return replay;
        }
        catch
        {
            replay.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Replays the epoch that was committed but not published, so that the replay has the epoch's trees. If the epoch begins the next
    /// period, these are the next period's trees. Returns the epoch with its audit proof.
    /// </summary>
    /// <param name="replay">The replay, which must be at the previous epoch.</param>
    /// <param name="content">The content of the unpublished epoch.</param>
    /// <param name="cancellationToken">Cancels the replay.</param>
    public async Task<CommittedEpoch> FinishAsync(LogReplay replay, EpochContent content, CancellationToken cancellationToken)
    {
        CommittedEpoch? committed = null;
        ThrowIfRefused(
            await replay.FollowAsync(
                content.Epoch.Epoch, step => committed = new CommittedEpoch(content, step.AuditProof()), cancellationToken));
        return committed
            ?? throw new StorageCorruptException($"Epoch {content.Epoch.Epoch} could not be read again: restore the database.");
    }

    private LogReplay CreateReplay(LogTrees first, TaskTrees trees) =>
        new(_store, _anchor, first, LogRoots.None) { NextTrees = trees.Create };

    private void ThrowIfRefused(Refused? refused)
    {
        if (refused is not null)
        {
            throw Rollback.Conflict(refused.Why, _board.Folder);
        }
    }

    private async Task<LogReplay?> TryRestoreAsync(ulong target, PeriodRow period, TaskTrees trees, CancellationToken cancellationToken)
    {
        if (trees.TryRestore(period, out Refused? refused) is { } restored)
        {
            LogReplay replay = CreateReplay(restored, trees);
            refused = await replay.LoadAsync(target, cancellationToken);
            if (refused is null)
            {
                _logger.SnapshotUsed(replay.RestoredEpoch ?? 0);
                return replay;
            }
        }
        if (refused is { IsSnapshot: true })
        {
            _logger.SnapshotRefused(refused.Why);
            return null;
        }
        ThrowIfRefused(refused);
        return null;
    }

    private async Task RenderAsync(LogReplay replay, ulong target, CancellationToken cancellationToken)
    {
        var files = new DurableFiles(_board.Folder.Log);
        List<ReadOnlyMemory<byte>> records = _board.Writer.Size == 0 ? [replay.Last.Row.Record] : [];
        for (ulong first = _board.Writer.Size; first <= target; first = replay.Last.Epoch + 1)
        {
            ulong last = Math.Min(target, first + RecordsPerAppend - 1);
            if (replay.Last.Epoch < last)
            {
                ThrowIfRefused(await replay.FollowAsync(
                    last,
                    step =>
                    {
                        files.WriteOnce(AuditProofPath.ForEpoch(step.Epoch.Epoch), step.AuditProof());
                        records.Add(step.Epoch.Row.Record);
                    },
                    cancellationToken));
            }
            await _board.Writer.AppendAsync(_board.Lock, first, records, cancellationToken);
            records.Clear();
        }
        await _board.Writer.PublishAsync(_board.Lock, replay.Last.Row.Checkpoint, cancellationToken);
        _logger.BoardRebuilt(target);
    }

    // Compares the board's newest record and audit proof with the database. Every record contains the hash of the previous record, so if
    // the last records are equal, all records are equal.
    private async Task CompareBoardAsync(CancellationToken cancellationToken)
    {
        EpochRow last = await _store.ReadEpochAsync(_board.Writer.Size - 1, cancellationToken);
        await _board.Writer.AppendAsync(_board.Lock, last.Epoch, [last.Record], cancellationToken);
        if (last.Epoch > 0)
        {
            EpochRow previous = await _store.ReadEpochAsync(last.Epoch - 1, cancellationToken);
            EpochRow periodStart = await _store.ReadEpochAsync(
                EpochRecord.Decode(previous.Record.Span).PeriodFirstEpoch, cancellationToken);
            StandingCheck.CheckAuditProof(_anchor, periodStart, previous, last, _board.Folder);
        }
    }
}
