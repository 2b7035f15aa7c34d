using System.Diagnostics.CodeAnalysis;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>
/// Builds a log's trees from the contents of a database. It first loads all epochs up to a given one together (<see cref="LoadAsync"/>).
/// Afterwards it adds the later epochs one by one (<see cref="FollowAsync"/>, <see cref="TryStage"/>). When a period begins, the replay
/// continues with the new period's trees, which it makes beforehand (<see cref="PrepareNextAsync"/>) or at that time. Not thread-safe.
/// </summary>
/// <remarks>
/// Invariants.
/// 1: After the load, the trees' roots, which the replay computes from leaves and copies, equal the roots in the record of
/// <see cref="Last"/>. 2: <see cref="Last"/> never goes back to an earlier epoch. 3: A refused step changes nothing. 4: If a view lacks a
/// value, the value was erased, or destroyed with its period; it was not lost by the database (<see cref="MissingValues"/>). 5: No view of
/// an epoch shows a value that this epoch or an earlier one has erased, because the replay erases the value before it commits the step
/// (docs/spec/erasure.md section 6), also in the trees of the next period.
/// </remarks>
public sealed class LogReplay : IDisposable
{
    private const int LoadBatchRows = 65_536;
    private const int FollowBatchRows = 16_384;
    private const ulong RecordsPerRead = 4096;

    private readonly IFollowStore _store;
    private readonly RecordChain _records;
    private readonly bool _checksCheckpoints;
    private readonly LogTrees _given;
    private readonly MissingValues _missing = new();
    private readonly PeriodPreparation _preparation;
    private VerifiedEpoch? _last;

    /// <summary>Creates a replay that continues with the given trees, of any period of the log, which are empty or come from a snapshot.
    /// The replay then owns the trees.</summary>
    public LogReplay(IFollowStore store, TrustAnchor anchor, LogTrees trees, LogRoots roots)
    {
        ArgumentNullException.ThrowIfNull(trees);
        _store = store;
        _preparation = new PeriodPreparation(store);
        _records = new RecordChain(anchor, withRoots: roots != LogRoots.None);
        _checksCheckpoints = roots == LogRoots.Checked;
        Trees = trees;
        _given = trees;
        trees.Directory.States(out ulong epoch);
        RestoredEpoch = epoch == 0 ? null : epoch;
    }

    /// <summary>The trees at the epoch <see cref="Last"/>. A switch to another period replaces them by other trees.</summary>
    public LogTrees Trees { get; private set; }

    /// <summary>The epoch of the snapshot from which the first trees came; null if they were empty.</summary>
    public ulong? RestoredEpoch { get; }

    /// <summary>The period of the snapshot from which the first trees came; null if they were empty.</summary>
    public ulong? RestoredPeriod => RestoredEpoch is null ? null : _given.Period;

    /// <summary>The last verified epoch. It exists only after the load has succeeded.</summary>
    public VerifiedEpoch Last => _last ?? throw new InvalidOperationException("Nothing was loaded.");

    /// <summary>
    /// The highest epoch that this server ever served, with its record; null if it has served no epoch. The replay refuses a log that has
    /// another record for this epoch.
    /// </summary>
    public HighWaterMark? Served { get; init; }

    /// <summary>
    /// The function that creates the trees of a period that has not begun, with the period's secrets. If it is null, this replay cannot
    /// create such trees and refuses a switch.
    /// </summary>
    public Func<PeriodRow, LogTrees>? NextTrees
    {
        get => _preparation.NextTrees;
        init => _preparation.NextTrees = value;
    }

    /// <summary>
    /// The action to which a switch passes the trees of the period that it ends, at that period's last epoch. The receiver then owns these
    /// trees. If the action is null, the replay disposes of the trees.
    /// </summary>
    public Action<LogTrees, VerifiedEpoch>? Ended { get; init; }

    /// <summary>
    /// The trees of the next period, the one after the period of <see cref="Trees"/>. They may still be incomplete. Null if this replay has
    /// not created them.
    /// </summary>
    public LogTrees? Next => _preparation.Next;

    /// <summary>The row of the period of <see cref="Next"/>, as the database had it when the trees were created.</summary>
    public PeriodRow? NextPeriod => _preparation.NextPeriod;

    /// <summary>The number of rows of copies that have been added to <see cref="Next"/>, which is also the number of the next row to
    /// add.</summary>
    public int NextCopies => _preparation.NextCopies;

    /// <summary>
    /// Loads the log up to an epoch. Checks all records up to it, loads the leaves that the trees do not have yet, and compares the trees
    /// with the epoch's record. If the trees' period has not begun, the trees first get that period's copies. If the trees' period ends
    /// before the epoch, the replay continues with the trees of later periods. Callers call this method once, before any other method. If
    /// it refuses or throws, it disposes of the trees.
    /// </summary>
    public async Task<Refused?> LoadAsync(ulong target, CancellationToken cancellationToken)
    {
        bool isLoaded = false;
        try
        {
            Refused? refused = await TryLoadAsync(target, cancellationToken).ConfigureAwait(false);
            isLoaded = refused is null;
            return refused;
        }
        finally
        {
            if (!isLoaded)
            {
                Dispose();
            }
        }
    }

    /// <summary>
    /// Steps through the epochs after <see cref="Last"/> that the store shows, up to the epoch <paramref name="through"/>, but over at most
    /// 4,096 epochs. If this method refuses an epoch, the replay stays at the epoch before it.
    /// </summary>
    /// <param name="through">Last epoch.</param>
    /// <param name="beforeCommit">The action to call with the step to each epoch, which includes proofs, before the step is committed; null
    /// if the caller does not need the steps.</param>
    /// <param name="cancellationToken">Cancels the reads.</param>
    public async Task<Refused?> FollowAsync(ulong through, Action<ReplayStep>? beforeCommit, CancellationToken cancellationToken)
    {
        IReadOnlyList<EpochRow> rows = await _store.ReadEpochsAsync(_records.Next, through, cancellationToken).ConfigureAwait(false);
        if (rows.Count == 0)
        {
            return _records.Missing;
        }
        IReadOnlyList<StoredErasure> erasures =
            await _store.ReadErasuresAsync(_records.Next, rows[^1].Epoch, cancellationToken).ConfigureAwait(false);
        var leaves = new EpochLeaves(
            _store.ReadLeavesAsync(_records.Next, rows[^1].Epoch, FollowBatchRows, Trees.Columns, cancellationToken)
                .GetAsyncEnumerator(cancellationToken));
        await using (leaves.ConfigureAwait(false))
        {
            foreach (EpochRow row in rows)
            {
                if ((await leaves.MoveToAsync(row.Epoch).ConfigureAwait(false)
                    ?? (MustCompleteNext(row)
                        ? await _preparation.CompleteAsync(Trees.Period, row, cancellationToken).ConfigureAwait(false)
                        : null)) is { } incomplete)
                {
                    return incomplete;
                }
                (ReplayStep? step, Refused? refused) = IsSwitch(row)
                    ? await BackgroundThread.RunAsync(() => Stage(row, leaves, withProofs: beforeCommit is not null)).ConfigureAwait(false)
                    : Stage(row, leaves, withProofs: beforeCommit is not null);
                if (step is null)
                {
                    return refused;
                }
                using (step)
                {
                    beforeCommit?.Invoke(step);
                    _missing.Add(leaves.Rows.Span, Trees.Values);
                    refused = await _missing.CheckAsync(_store, Trees.Period, cancellationToken).ConfigureAwait(false)
                        ?? Erase(erasures.Count == 0 ? erasures : [.. erasures.Where(erasure => erasure.DecidedIn == row.Epoch)]);
                    if (refused is not null)
                    {
                        return refused;
                    }
                    step.Commit();
                }
                refused = _preparation.LoadNames(row.Epoch, leaves.Rows.Span, leaves.Values.Span);
                if (refused is not null)
                {
                    return refused;
                }
            }
        }
        return null;
    }

    /// <summary>
    /// Verifies the next epoch and builds its trees, while the current trees stay unchanged. If the epoch begins a period, builds its trees
    /// from <see cref="Next"/>, which must have all copies and the names of all earlier epochs. The caller may commit the resulting step,
    /// and must dispose of it.
    /// </summary>
    public bool TryStage(
        EpochRow row, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values, bool withProofs, [NotNullWhen(true)] out ReplayStep? step,
        [NotNullWhen(false)] out Refused? refused)
    {
        step = null;
        refused = Check(row);
        if (refused is not null)
        {
            return false;
        }
        VerifiedEpoch epoch = _records.AsLast(row);
        refused = CheckCheckpoint(epoch);
        if (refused is not null)
        {
            return false;
        }
        LogTrees trees = epoch.Record.IsSwitch && Trees.HasBegun ? Next ?? Trees : Trees;
        if (epoch.Record.IsSwitch)
        {
            refused = CheckComplete(trees, epoch.Record);
            if (refused is not null)
            {
                return false;
            }
        }
        if (!trees.TryStage(epoch.Record, leaves, values, withProofs, out StagedEpoch? staged, out refused))
        {
            return false;
        }
        step = new ReplayStep(this, epoch, trees, staged);
        return true;
    }

    /// <summary>
    /// Makes an epoch the replay's last epoch, after the writer has staged and committed it in the directory of <see cref="Trees"/>. If the
    /// epoch begins the period of <see cref="Next"/>, the writer must have staged and committed it in the directory of <see cref="Next"/>,
    /// and those trees become <see cref="Trees"/>. Throws <see cref="InvalidOperationException"/> if the epoch's record does not follow the
    /// last record, which indicates a bug in the writer.
    /// </summary>
    /// <param name="row">The epoch.</param>
    /// <param name="leaves">The epoch's leaves. Those of usernames and decommissioned users are also added to the trees of the next
    /// period.</param>
    /// <param name="values">The values of the leaves.</param>
    public void Advance(EpochRow row, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values)
    {
        if (Check(row) is { } refused)
        {
            throw new InvalidOperationException(refused.Why);
        }
        VerifiedEpoch epoch = _records.AsLast(row);
        Append(epoch, epoch.Record.IsSwitch
            ? Next ?? throw new InvalidOperationException($"Epoch {row.Epoch} begins a period whose trees are not there.")
            : Trees);
        if (_preparation.LoadNames(row.Epoch, leaves, values) is { } unnamed)
        {
            throw new InvalidOperationException(unnamed.Why);
        }
    }

    /// <summary>
    /// Takes one step in filling the trees of the next period, if the database has a next period. A step is short, so that it does not
    /// delay an epoch for long. It adds the leaves of the structures <c>usernames</c> and <c>decommissioned</c> up to the epoch
    /// <see cref="Last"/>, and reads about as many leaves as the limit <paramref name="maxRows"/>. Once these names are complete, a step
    /// adds rows of copies, at most as many as this limit. A refusal means that the database's contents are wrong; the current trees are
    /// unchanged.
    /// </summary>
    public Task<Refused?> PrepareNextAsync(int maxRows, CancellationToken cancellationToken) =>
        _preparation.PrepareAsync(Trees.Period, Last.Epoch, maxRows, cancellationToken);

    /// <summary>
    /// Adds copies that the caller has already read from the database to the trees of the next period. The copies must have all columns
    /// that these trees need. Does nothing if they do not begin at <see cref="NextCopies"/>, or if the trees still lack names; in these
    /// cases <see cref="PrepareNextAsync"/> reads the copies later. A refusal means that the database's contents are wrong; the current
    /// trees are unchanged.
    /// </summary>
    public Task<Refused?> TakeNextAsync(CopyBatch copies) => _preparation.TakeAsync(copies, Last.Epoch);

    /// <summary>
    /// Destroys, in all trees, the values that an epoch has erased. Callers call this method before they commit the step to that epoch.
    /// Returns a refusal if an erased leaf does not exist.
    /// </summary>
    public Refused? Erase(IReadOnlyList<StoredErasure> erasures) => Trees.Erase(erasures) ?? Next?.Erase(erasures);

    /// <inheritdoc/>
    public void Dispose()
    {
        Trees.Dispose();
        _preparation.Dispose();
    }

    internal void Append(VerifiedEpoch epoch, LogTrees trees)
    {
        if (trees != Trees)
        {
            Switch();
        }
        _records.Append(epoch.Row);
        _last = epoch;
    }

    // Makes the next period's trees the current ones.
    private void Switch()
    {
        LogTrees ended = Trees;
        Trees = _preparation.Release();
        if (Ended is null)
        {
            ended.Dispose();
        }
        else
        {
            Ended(ended, Last);
        }
    }

    private static Refused? CheckComplete(LogTrees trees, EpochRecord record) =>
        trees.HasBegun ? new Refused($"Epoch {record.Epoch} begins period {record.Period}, whose trees were not made.")
        : trees.Epoch != record.Epoch - 1
            ? new Refused($"Epoch {record.Epoch} begins period {record.Period}, whose trees have the names of epoch {trees.Epoch}.")
        : null;

    // Returns whether an epoch's record begins a period. Returns false for a record of a wrong length, which another check refuses later.
    private static bool IsSwitch(EpochRow row) =>
        row.Epoch > 0 && row.Record.Length == EpochRecord.Length && EpochRecord.BeginsPeriod(row.Record.Span);

    // Returns whether the epoch begins a period for which the next period's trees must be complete. If the period of the current trees has
    // not begun, these trees already contain everything that the switch needs.
    private bool MustCompleteNext(EpochRow row) => Trees.HasBegun && IsSwitch(row);

    private (ReplayStep? Step, Refused? Refused) Stage(EpochRow row, EpochLeaves leaves, bool withProofs) =>
        TryStage(row, leaves.Rows.Span, leaves.Values.Span, withProofs, out ReplayStep? step, out Refused? refused)
            ? (step, null)
            : (null, refused);

    private static Refused RefuseSnapshot(string why) => new(why) { IsSnapshot = true };

    private Refused? Check(EpochRow row) => _records.Check(row)
        ?? (Served?.Epoch == row.Epoch && !Served.Names(row.Epoch, row.RecordHash.Span)
            ? new Refused(
                $"The database has another record for epoch {row.Epoch} than was served before: the log forked, or this is another database.")
            : null);

    private Refused? CheckCheckpoint(VerifiedEpoch epoch) => _checksCheckpoints ? _records.CheckCheckpoint(epoch) : null;

    private async Task<Refused?> TryLoadAsync(ulong target, CancellationToken cancellationToken)
    {
        if (RestoredEpoch is ulong restored)
        {
            if (restored > target)
            {
                return RefuseSnapshot($"It is from epoch {restored}; the database's newest is {target}.");
            }
            if (await CheckRecordsAsync(restored, cancellationToken).ConfigureAwait(false) is { } broken)
            {
                return broken;
            }
            if (Trees.Match(Last.Record) is not null)
            {
                return RefuseSnapshot($"Its roots are not those of the record of epoch {restored}.");
            }
        }
        IReadOnlyList<PeriodRow> periods = await _store.ReadPeriodsAsync(cancellationToken).ConfigureAwait(false);
        if (!Trees.HasBegun && await LoadPeriodAsync(periods, target, cancellationToken).ConfigureAwait(false) is { } refused)
        {
            return refused;
        }
        while (true)
        {
            ulong end = periods.FirstOrDefault(period => period.Period == Trees.Period + 1)?.FirstEpoch is ulong next && next <= target
                ? next - 1
                : target;
            refused = await LoadThroughAsync(end, isTarget: end == target, cancellationToken).ConfigureAwait(false);
            if (refused is not null || end == target)
            {
                return refused;
            }
            refused = await FollowAsync(end + 1, beforeCommit: null, cancellationToken).ConfigureAwait(false);
            if (refused is not null)
            {
                return refused;
            }
            if (Last.Epoch != end + 1 || Last.Record.Period != Trees.Period)
            {
                return new Refused($"The record of epoch {end + 1} does not begin a period, although the database's rows say so.");
            }
        }
    }

    // Completes the trees that the replay was created with, whose period has not begun. Loads the names of earlier epochs, then the
    // period's copies, then the period's first epoch.
    private async Task<Refused?> LoadPeriodAsync(IReadOnlyList<PeriodRow> periods, ulong target, CancellationToken cancellationToken)
    {
        if (periods.FirstOrDefault(period => period.Period == Trees.Period) is not { FirstEpoch: ulong first, Copies: int copies }
            || first == 0 || first > target)
        {
            return new Refused($"Period {Trees.Period} has not begun at epoch {target}, although the database's rows say so.");
        }
        Refused? refused = await CheckRecordsAsync(first - 1, cancellationToken).ConfigureAwait(false)
            ?? await _preparation.FillAsync(Trees, first, copies, cancellationToken).ConfigureAwait(false);
        return refused ?? await FollowAsync(first, beforeCommit: null, cancellationToken).ConfigureAwait(false);
    }

    // Loads epochs up to the given one, which must be in the trees' period.
    private async Task<Refused?> LoadThroughAsync(ulong end, bool isTarget, CancellationToken cancellationToken)
    {
        ulong? first = _last?.Epoch;
        if ((await CheckRecordsAsync(end, cancellationToken).ConfigureAwait(false)
            ?? (isTarget ? CheckCheckpoint(Last) : null)) is { } refused)
        {
            return refused;
        }
        // If the trees came from a snapshot, a difference may be the fault of the snapshot or of the database.
        Refused? differing = await LoadLeavesAsync(first ?? 0, end, cancellationToken).ConfigureAwait(false) ?? Trees.Match(Last.Record);
        return differing is null
            ? await _missing.CheckAsync(_store, Trees.Period, cancellationToken).ConfigureAwait(false)
            : differing with { IsSnapshot = RestoredEpoch is not null && Trees == _given };
    }

    // Checks all records, but only the last checkpoint, because that checkpoint covers all records before it.
    private async Task<Refused?> CheckRecordsAsync(ulong through, CancellationToken cancellationToken)
    {
        while (_records.Next <= through)
        {
            ulong end = Math.Min(through, _records.Next + RecordsPerRead - 1);
            IReadOnlyList<EpochRow> rows = await _store.ReadEpochsAsync(_records.Next, end, cancellationToken).ConfigureAwait(false);
            if (rows.Count == 0)
            {
                return _records.Missing;
            }
            foreach (EpochRow row in rows)
            {
                if (Check(row) is { } refused)
                {
                    return refused;
                }
                _last = row.Epoch == through ? _records.AsLast(row) : null;
                _records.Append(row);
            }
        }
        return null;
    }

    private async Task<Refused?> LoadLeavesAsync(ulong loaded, ulong target, CancellationToken cancellationToken) => loaded == target
        ? null
        : await LoadAllLeavesAsync(loaded, target, cancellationToken).ConfigureAwait(false)
            ?? await EraseAsync(target, cancellationToken).ConfigureAwait(false);

    private async Task<Refused?> LoadAllLeavesAsync(ulong loaded, ulong target, CancellationToken cancellationToken)
    {
        LogTrees trees = Trees;
        Task<Refused?> loading = Task.FromResult<Refused?>(null);
        try
        {
            await foreach (LeafBatch batch in _store.ReadLeavesAsync(loaded + 1, target, LoadBatchRows, trees.Columns, cancellationToken)
                .ConfigureAwait(false))
            {
                // While one batch is being added to the trees, the next batch is being read.
                if (await loading.ConfigureAwait(false) is { } refused)
                {
                    return refused;
                }
                _missing.Add(batch.Rows.Span, trees.Values);
                ulong epoch = batch.Rows.Span[^1].Epoch;
                loaded = epoch;
                loading = Task.Run(() => trees.Load(epoch, batch.Rows.Span, batch.Values.Span), CancellationToken.None);
            }
        }
        finally
        {
            // The code waits for the load of the previous batch even after a failed read, because that load uses the directory until it
            // ends.
            await loading.ConfigureAwait(false);
        }
        return await loading.ConfigureAwait(false)
            ?? await Task.Run(() => (loaded < target ? trees.Load(target, [], []) : null) ?? trees.EndLoad(target), CancellationToken.None)
                .ConfigureAwait(false);
    }

    // Erases values that the snapshot's leaf log still contains. Leaves that were loaded from the database need no such erasure, because
    // the database returns no erased values.
    private async Task<Refused?> EraseAsync(ulong target, CancellationToken cancellationToken)
    {
        if (RestoredEpoch is not ulong restored || Trees != _given)
        {
            return null;
        }
        IReadOnlyList<StoredErasure> erasures =
            await _store.ReadErasuresAsync(restored + 1, target, cancellationToken).ConfigureAwait(false);
        try
        {
            return await Task.Run(() => Trees.Erase(erasures), CancellationToken.None).ConfigureAwait(false);
        }
        catch (OptiksNativeException e) when (e.Status == NativeStatus.Io)
        {
            return new Refused(e.Message);
        }
    }
}
