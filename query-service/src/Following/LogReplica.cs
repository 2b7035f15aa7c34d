using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;

namespace Optiks.QueryService.Following;

/// <summary>
/// LogReplica is the log in memory: the trees, and the chain of records up to the epoch that they show. One thread at a time; the snapshots that it gives are for all.
/// </summary>
/// <remarks>
/// Invariants. 1: the directory's roots are those of <see cref="Last"/>'s record, recomputed here from leaves. 2: <see cref="Last"/> never goes back. A refused epoch changes nothing.
/// </remarks>
internal sealed class LogReplica : IDisposable
{
    private const int LoadBatchRows = 65_536;
    private const int FollowBatchRows = 16_384;
    private const ulong EpochsPerPage = 4096;
    private const ulong FollowedPerCall = 256;

    private readonly IFollowStore _store;
    private readonly KeyDirectory _directory;
    private readonly RecordChain _chain;

    private LogReplica(IFollowStore store, KeyDirectory directory, RecordChain chain)
    {
        _store = store;
        _directory = directory;
        _chain = chain;
    }

    /// <summary>Last epoch that was verified.</summary>
    public VerifiedEpoch Last { get; private set; } = null!;

    /// <summary>RestoredEpoch is the epoch of the snapshot that it began with; null: with nothing.</summary>
    public ulong? RestoredEpoch { get; private init; }

    /// <summary>Stats of the directory.</summary>
    public DirectoryStats Stats => _directory.Stats;

    /// <summary>
    /// TryRestoreAsync builds the trees from a snapshot and the epochs since, and compares them with the records of the snapshot's epoch and of the last. Null when there is no snapshot, or none
    /// that leads there, which is logged.
    /// </summary>
    /// <param name="store">Where to read.</param>
    /// <param name="anchor">The log.</param>
    /// <param name="options">Of the directory to make.</param>
    /// <param name="snapshot">Path of the snapshot, which need not be there.</param>
    /// <param name="published">The published epoch.</param>
    /// <param name="highest">Epoch that was served before, whose record must be the same.</param>
    /// <param name="logger">What became of the snapshot.</param>
    /// <param name="cancellationToken">Ends the load.</param>
    public static async Task<LogReplica?> TryRestoreAsync(
        IFollowStore store, TrustAnchor anchor, DirectoryOptions options, string snapshot, ulong published, HighWaterMark? highest, ILogger logger, CancellationToken cancellationToken)
    {
        if (SnapshotFile.TryRestore(options, snapshot, logger) is { } restored)
        {
            try
            {
                return await LoadAsync(store, anchor, restored, published, highest, logger, cancellationToken);
            }
            catch (SnapshotRefusedException e)
            {
                logger.SnapshotRefused(e.Message);
            }
        }
        return null;
    }

    /// <summary>
    /// LoadAsync builds the trees from the leaves of epochs 0..<paramref name="published"/> and compares them with the last one's record; what is left of a snapshot goes first. Throws
    /// <see cref="EpochRefusedException"/> when the trees differ, or anything stored contradicts itself. Parameters as above.
    /// </summary>
    public static Task<LogReplica> LoadAsync(
        IFollowStore store, TrustAnchor anchor, DirectoryOptions options, string snapshot, ulong published, HighWaterMark? highest, ILogger logger, CancellationToken cancellationToken) =>
        LoadAsync(store, anchor, SnapshotFile.CreateInstead(options, snapshot), published, highest, logger, cancellationToken);

    /// <summary>
    /// FollowAsync verifies and applies epochs after <see cref="Last"/>, at most 256 and none above <paramref name="published"/>. Throws <see cref="EpochRefusedException"/> at the
    /// first that is refused; those before it are applied.
    /// </summary>
    public async Task FollowAsync(ulong published, CancellationToken cancellationToken)
    {
        ulong first = _chain.Next;
        ulong last = Math.Min(published, first + FollowedPerCall - 1);
        IReadOnlyList<EpochRow> rows = await _store.ReadEpochsAsync(first, last, cancellationToken);
        var leaves = new EpochLeaves(_store.ReadLeavesAsync(first, last, FollowBatchRows, cancellationToken).GetAsyncEnumerator(cancellationToken));
        await using (leaves)
        {
            foreach (EpochRow row in rows)
            {
                VerifiedEpoch epoch = _chain.Check(row);
                await leaves.MoveToAsync(row.Epoch);
                Apply(epoch, leaves.Rows.Span, leaves.Values.Span);
            }
        }
        if (rows.Count == 0)
        {
            throw new EpochRefusedException($"Epoch {first} is missing from the database.");
        }
    }

    /// <summary>Serve gives the last epoch as something to answer from.</summary>
    public ServedEpoch Serve(Tlog.ITileReader board) => new(_directory.TakeSnapshot(), Last, board);

    /// <inheritdoc/>
    public void Dispose() => _directory.Dispose();

    // Owns the directory, which is empty or that of a snapshot.
    private static async Task<LogReplica> LoadAsync(
        IFollowStore store, TrustAnchor anchor, KeyDirectory directory, ulong published, HighWaterMark? highest, ILogger logger, CancellationToken cancellationToken)
    {
        StructureState[] states = directory.States(out ulong epoch);
        var replica = new LogReplica(store, directory, new RecordChain(anchor)) { RestoredEpoch = epoch == 0 ? null : epoch };
        try
        {
            await replica.LoadRecordsAsync(published, highest, states, cancellationToken);
            if (replica.RestoredEpoch is null)
            {
                await replica.LoadLeavesAsync(0, published, cancellationToken);
                ThrowUnlessSame(directory.States(out _), replica.Last);
                return replica;
            }
            logger.SnapshotUsed(epoch);
            try
            {
                await replica.LoadLeavesAsync(epoch + 1, published, cancellationToken);
                ThrowUnlessSame(directory.States(out _), replica.Last);
            }
            catch (EpochRefusedException e)
            {
                // The snapshot's fault or the database's: without the snapshot that shows.
                throw new SnapshotRefusedException(e.Message, e);
            }
            return replica;
        }
        catch
        {
            replica.Dispose();
            throw;
        }
    }

    private static void ThrowUnlessSame(StructureState[] states, VerifiedEpoch epoch)
    {
        for (int i = 0; i < states.Length; i++)
        {
            if (!states[i].Equals(epoch.Record.Structures[i]))
            {
                throw new EpochRefusedException($"The leaves of structure {i + 1} do not give the root in the record of epoch {epoch.Row.Epoch}.");
            }
        }
    }

    private static EpochRefusedException Contradiction(ulong epoch, OptiksNativeException e) =>
        new($"The leaves up to epoch {epoch} contradict each other ({e.Status}).", e);

    private static bool IsContradiction(OptiksNativeException e) => e.Status is NativeStatus.Data or NativeStatus.Duplicate;

    private void Apply(VerifiedEpoch epoch, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values)
    {
        try
        {
            using StagedEpoch staged = _directory.Stage(epoch.Row.Epoch, leaves, values, withProofs: false);
            ThrowUnlessSame(staged.States(), epoch);
            staged.Commit();
        }
        catch (OptiksNativeException e) when (IsContradiction(e))
        {
            throw Contradiction(epoch.Row.Epoch, e);
        }
        _chain.Append(epoch.Row);
        Last = epoch;
    }

    // With a snapshot, its states must be those of its epoch's record.
    private async Task LoadRecordsAsync(ulong published, HighWaterMark? highest, StructureState[] states, CancellationToken cancellationToken)
    {
        SnapshotFile.ThrowIfNewer(RestoredEpoch ?? 0, published);
        while (_chain.Next <= published)
        {
            IReadOnlyList<EpochRow> rows = await _store.ReadEpochsAsync(_chain.Next, Math.Min(published, _chain.Next + EpochsPerPage - 1), cancellationToken);
            foreach (EpochRow row in rows)
            {
                if (highest?.Epoch == row.Epoch && !highest.Names(row.Epoch, row.RecordHash.Span))
                {
                    throw new EpochRefusedException($"The database has another record for epoch {row.Epoch} than this replica served before: the log forked, or the database is another one.");
                }
                // The last checkpoint covers all records before.
                if (row.Epoch == published)
                {
                    Last = _chain.Check(row);
                }
                EpochRecord record = row.Epoch == published ? Last.Record : _chain.CheckRecord(row);
                if (row.Epoch == RestoredEpoch)
                {
                    SnapshotFile.ThrowUnlessSame(states, record);
                }
                _chain.Append(row);
            }
            if (rows.Count == 0)
            {
                throw new EpochRefusedException($"Epoch {_chain.Next} is missing from the database.");
            }
        }
    }

    private async Task LoadLeavesAsync(ulong first, ulong published, CancellationToken cancellationToken)
    {
        if (first > published)
        {
            return;
        }
        ulong loaded = 0;
        Task loading = Task.CompletedTask;
        try
        {
            await foreach (LeafBatch batch in _store.ReadLeavesAsync(first, published, LoadBatchRows, cancellationToken))
            {
                // While a batch goes into the trees the next one is read.
                await loading;
                loaded = batch.Rows.Span[^1].Epoch;
                loading = Task.Run(() => Load(batch), CancellationToken.None);
            }
        }
        finally
        {
            // The directory is in use until then, whatever the reading met.
            await loading;
        }
        if (loaded < published)
        {
            _directory.Load(published, [], []);
        }
    }

    private void Load(LeafBatch batch)
    {
        ulong last = batch.Rows.Span[^1].Epoch;
        try
        {
            _directory.Load(last, batch.Rows.Span, batch.Values.Span);
        }
        catch (OptiksNativeException e) when (IsContradiction(e))
        {
            throw Contradiction(last, e);
        }
    }
}
