using System.Diagnostics;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
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
    private readonly ILogger<Recovery> _logger;

    public Recovery(DataFolder folder, BoardFolder board, Genesis genesis, EpochPublisher publisher, ILogger<Recovery> logger)
    {
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
        EpochRow first = await EpochHistory.ReadOneAsync(store, 0, cancellationToken) ?? throw new StorageCorruptException("The database lacks epoch 0.");
        if (periods.Count != 1)
        {
            throw new StorageCorruptException($"The database has {periods.Count} periods; this version makes one.");
        }
        var identity = LogIdentity.Open(_folder, periods[0].Configuration, EpochRecord.Decode(first.Record.Span).LogId, _logger);
        KeyDirectory? directory = null;
        try
        {
            directory = CreateDirectory(identity, periods[0]);
            _board.Create();
            using BoardLock boardLock = await _publisher.LockAsync(store, lease, cancellationToken);
            BoardWriter writer = await BoardWriter.OpenAsync(_board.Log, identity.Anchor.LogKey, Ed25519.Verifier, cancellationToken);
            StandingCheck.Checkpoint(head, writer.Size, _board);

            EpochRow lastRow = await RebuildAsync(store, identity.Anchor, directory, writer, boardLock, head, cancellationToken);
            MadeEpoch? unfinished = head.PublishedEpoch == last ? null : await RestoreUnfinishedAsync(store, directory, cancellationToken);
            return new LogSession
            {
                Identity = identity,
                Directory = directory,
                Board = writer,
                State = state,
                Period = periods[0],
                Last = unfinished?.Content.Epoch ?? lastRow,
                Unfinished = unfinished,
            };
        }
        catch
        {
            directory?.Dispose();
            identity.Dispose();
            throw;
        }
    }

    /// <summary>SameStates compares trees with a record.</summary>
    public static bool SameStates(IReadOnlyList<StructureState> states, ReadOnlySpan<byte> record) =>
        states.SequenceEqual(EpochRecord.Decode(record).Structures);

    private static KeyDirectory CreateDirectory(LogIdentity identity, PeriodRow period)
    {
        using DirectorySecrets secrets = identity.Secrets.UnwrapPeriod(period.WrappedSecrets.Span, period.Period, identity.Anchor.LogId.Span);
        return KeyDirectory.Create(new DirectoryOptions
        {
            Secrets = secrets,
            WithoutValues = true,
            Period = period.Period,
            PeriodFirstEpoch = period.FirstEpoch,
            MaxValueLength = identity.Anchor.Configuration.MaxValueLength,
            Threads = DirectoryOptions.AllProcessors,
        });
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
                EpochRow boardLast = await EpochHistory.ReadOneAsync(store, writer.Size - 1, cancellationToken)
                    ?? throw new StorageCorruptException($"The database lacks epoch {writer.Size - 1}.");
                await writer.AppendAsync(boardLock, writer.Size - 1, [boardLast.Record], cancellationToken);
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
        EpochRow previous = await EpochHistory.ReadOneAsync(store, epoch - 1, cancellationToken) ?? throw new StorageCorruptException($"The database lacks epoch {epoch - 1}.");
        using StagedEpoch staged = directory.Stage(epoch, content.Leaves.Rows.Span, content.Leaves.Values.Span, withProofs: true);
        if (!SameStates(staged.States(), content.Epoch.Record.Span))
        {
            throw new StorageCorruptException($"The leaves in the database do not give the roots of the record of epoch {epoch}.");
        }
        byte[] audit = AuditProofFile.Encode(previous.Record.Span, content.Epoch.Record.Span, staged.AppendProofs());
        staged.Commit();
        return new MadeEpoch(content, audit);
    }
}
