using System.Diagnostics;
using Microsoft.Extensions.Options;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Recovery is what a new holder of the lease does before it writes anything: it makes the log if there is none, proves to itself that the database is the newest copy, rebuilds the
/// trees from its leaves, and finds the epoch that was committed and not published.
/// </summary>
internal sealed class Recovery
{
    private readonly DataFolder _folder;
    private readonly BoardFolder _board;
    private readonly Genesis _genesis;
    private readonly EpochPublisher _publisher;
    private readonly EpochOptions _options;
    private readonly TimeProvider _time;
    private readonly ILogger<Recovery> _logger;

    public Recovery(
        DataFolder folder, BoardFolder board, Genesis genesis, EpochPublisher publisher, IOptions<EpochOptions> options, TimeProvider time, ILogger<Recovery> logger)
    {
        _options = options.Value;
        _time = time;
        _folder = folder;
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
        Head head = await store.ReadHeadAsync(cancellationToken);
        HighWaterMark? mark = state.Highest();
        if (head.Epoch is null)
        {
            StandingCheck.EmptyDatabase(mark, _board);
            await _genesis.CreateAsync(store, lease, cancellationToken);
            head = await store.ReadHeadAsync(cancellationToken);
        }
        ulong last = head.Epoch ?? throw new StorageCorruptException("The database has no epoch after its first was committed.");
        EpochRow? atMark = mark is null ? null : await EpochHistory.ReadOneAsync(store, mark.Epoch, cancellationToken);
        StandingCheck.Mark(head, mark, atMark, _board);
        if (last > (head.PublishedEpoch is { } published ? published + 1 : 0))
        {
            throw new StorageCorruptException($"The database's head is at epoch {last}, but its published epoch is {head.PublishedEpoch}.");
        }

        IReadOnlyList<PeriodRow> periods = await store.ReadPeriodsAsync(cancellationToken);
        EpochRow first = await EpochHistory.ReadStoredAsync(store, 0, cancellationToken);
        if (periods.Count != 1)
        {
            throw new StorageCorruptException($"The database has {periods.Count} periods; this version makes one.");
        }
        var identity = LogIdentity.Open(_folder, periods[0].Configuration, EpochRecord.Decode(first.Record.Span).LogId, _logger);
        TaskFolder? folder = null;
        KeyDirectory? directory = null;
        try
        {
            folder = TaskFolder.TryOpen(_folder);
            _board.Create();
            using BoardLock boardLock = await _publisher.LockAsync(store, lease, cancellationToken);
            BoardWriter writer = await BoardWriter.OpenAsync(_board.Log, identity.Anchor.LogKey, Ed25519.Verifier, cancellationToken);
            StandingCheck.Checkpoint(head, mark, writer.Size, _board);

            Trees trees = await BuildAsync(store, identity, periods[0], folder, writer, boardLock, head, cancellationToken);
            directory = trees.Directory;
            MadeEpoch? unfinished = head.PublishedEpoch == last ? null : await RestoreUnfinishedAsync(store, directory, cancellationToken);
            return new LogSession
            {
                Identity = identity,
                Directory = directory,
                Saver = folder is null ? null : new SnapshotSaver(folder.Snapshot, _options.SnapshotInterval, trees.SavedEpoch, _time, _logger),
                Folder = folder,
                Board = writer,
                State = state,
                Period = periods[0],
                Last = unfinished?.Content.Epoch ?? trees.Row,
                Unfinished = unfinished,
            };
        }
        catch
        {
            directory?.Dispose();
            folder?.Dispose();
            identity.Dispose();
            throw;
        }
    }

    /// <summary>SameStates compares trees with a record.</summary>
    public static bool SameStates(IReadOnlyList<StructureState> states, ReadOnlySpan<byte> record) =>
        states.SequenceEqual(EpochRecord.Decode(record).Structures);

    // From the snapshot and the epochs since, or from the database alone.
    private async Task<Trees> BuildAsync(
        IPipelineStore store, LogIdentity identity, PeriodRow period, TaskFolder? folder, BoardWriter writer, BoardLock boardLock, Head head, CancellationToken cancellationToken)
    {
        using DirectorySecrets secrets = identity.Secrets.UnwrapPeriod(period.WrappedSecrets.Span, period.Period, identity.Anchor.LogId.Span);
        var options = new DirectoryOptions
        {
            Secrets = secrets,
            LeafLogPath = folder?.LeafLog,
            WithoutValues = true,
            Period = period.Period,
            PeriodFirstEpoch = period.FirstEpoch,
            MaxValueLength = identity.Anchor.Configuration.MaxValueLength,
            Threads = DirectoryOptions.AllProcessors,
        };
        // A board that was lost is rendered again from epoch 0 on.
        bool isBoardLost = head.PublishedEpoch is not null && writer.Size == 0;
        if (folder is not null && !isBoardLost && SnapshotFile.TryRestore(options, folder.Snapshot, _logger) is { } restored)
        {
            bool isUsed = false;
            try
            {
                restored.States(out ulong epoch);
                EpochRow row = await RebuildAsync(store, identity.Anchor, restored, writer, boardLock, head, cancellationToken);
                _logger.SnapshotUsed(epoch);
                isUsed = true;
                return new Trees(restored, row, epoch);
            }
            catch (Exception e) when (e is SnapshotRefusedException or StorageCorruptException)
            {
                // Whether it or the database is at fault shows without it.
                _logger.SnapshotRefused(e.Message);
            }
            finally
            {
                if (!isUsed)
                {
                    restored.Dispose();
                }
            }
        }
        KeyDirectory directory = folder is null ? KeyDirectory.Create(options) : SnapshotFile.CreateInstead(options, folder.Snapshot);
        try
        {
            return new Trees(directory, await RebuildAsync(store, identity.Anchor, directory, writer, boardLock, head, cancellationToken), null);
        }
        catch
        {
            directory.Dispose();
            throw;
        }
    }

    // The trees of the published epoch, or of epoch 0 when none is.
    private async Task<EpochRow> RebuildAsync(
        IPipelineStore store, TrustAnchor anchor, KeyDirectory directory, BoardWriter writer, BoardLock boardLock, Head head, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        var loader = new TreeLoader(store, anchor, directory);
        EpochRow row;
        if (head.PublishedEpoch is { } published && writer.Size == 0)
        {
            row = await loader.LoadAndRenderAsync(published, _board, writer, boardLock, cancellationToken);
            await writer.PublishAsync(boardLock, row.Checkpoint, cancellationToken);
            _logger.BoardRebuilt(published);
        }
        else
        {
            row = await loader.LoadAsync(head.PublishedEpoch ?? 0, cancellationToken);
            if (writer.Size > 0)
            {
                // Every record names the hash of the one before, so the last says that all are the same.
                EpochRow boardLast = await EpochHistory.ReadStoredAsync(store, writer.Size - 1, cancellationToken);
                await writer.AppendAsync(boardLock, writer.Size - 1, [boardLast.Record], cancellationToken);
                if (boardLast.Epoch > 0)
                {
                    EpochRow previous = await EpochHistory.ReadStoredAsync(store, boardLast.Epoch - 1, cancellationToken);
                    EpochRow periodStart = await EpochHistory.ReadStoredAsync(store, EpochRecord.Decode(previous.Record.Span).PeriodFirstEpoch, cancellationToken);
                    StandingCheck.AuditProof(anchor, periodStart, previous, boardLast, _board);
                }
            }
        }
        if (!SameStates(directory.States(out _), row.Record.Span))
        {
            throw new StorageCorruptException($"The leaves in the database do not give the roots of the record of epoch {row.Epoch}.");
        }
        ulong leaves = directory.Stats.Leaves;
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        _logger.TreeRebuilt(row.Epoch, leaves, seconds);
        return row;
    }

    private async Task<MadeEpoch> RestoreUnfinishedAsync(IPipelineStore store, KeyDirectory directory, CancellationToken cancellationToken)
    {
        EpochContent content = await store.ReadUnpublishedAsync(cancellationToken)
            ?? throw new StorageCorruptException("The database's head is not published, but its epoch cannot be read.");
        ulong epoch = content.Epoch.Epoch;
        _logger.FinishingEpoch(epoch);
        if (epoch == 0)
        {
            return new MadeEpoch(content, default);
        }
        EpochRow previous = await EpochHistory.ReadStoredAsync(store, epoch - 1, cancellationToken);
        using StagedEpoch staged = directory.Stage(epoch, content.Leaves.Rows.Span, content.Leaves.Values.Span, withProofs: true);
        if (!SameStates(staged.States(), content.Epoch.Record.Span))
        {
            throw new StorageCorruptException($"The leaves in the database do not give the roots of the record of epoch {epoch}.");
        }
        byte[] audit = AuditProofFile.Encode(previous.Record.Span, content.Epoch.Record.Span, staged.AppendProofs());
        staged.Commit();
        return new MadeEpoch(content, audit);
    }

    /// <param name="Directory">Trees of the published epoch.</param>
    /// <param name="Row">That epoch.</param>
    /// <param name="SavedEpoch">Epoch of the snapshot on disk that they began with; null: with none.</param>
    private sealed record Trees(KeyDirectory Directory, EpochRow Row, ulong? SavedEpoch);
}
