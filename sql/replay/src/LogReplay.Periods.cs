using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage.Replay;

/// <content>Prepares the trees of the next period while the current period's trees are in use. The new trees replace the current trees at
/// the switch (docs/spec/periods.md section 10).</content>
public sealed partial class LogReplay
{
    private const int CopiesPerRead = 65_536;

    private readonly MissingValues _missingOfNext = new();

    /// <summary>
    /// Creates the trees of a period that has not begun, with its secrets. If null, this replay cannot create such trees and refuses a
    /// switch.
    /// </summary>
    public Func<PeriodRow, LogTrees>? NextTrees { get; init; }

    /// <summary>
    /// Receives the trees of the period that a switch has ended, at that period's last epoch, and owns these trees from then on. If null,
    /// the replay disposes of them.
    /// </summary>
    public Action<LogTrees, VerifiedEpoch>? Ended { get; init; }

    /// <summary>
    /// The trees of the period after the period of <see cref="Trees"/>, as far as they are filled; null when there are no such trees.
    /// </summary>
    public LogTrees? Next { get; private set; }

    /// <summary>The row of <see cref="Next"/>'s period, as it was when the trees were created.</summary>
    public PeriodRow? NextPeriod { get; private set; }

    /// <summary>The number of rows of copies that <see cref="Next"/> contains, which is also the number of the next row.</summary>
    public int NextCopies { get; private set; }

    /// <summary>
    /// Fills the trees of the next period further, once there is one, in steps that do not delay an epoch for long. A step first adds names
    /// up to <see cref="Last"/>, reading about <paramref name="maxRows"/> leaves. Once the names are complete, a step adds at most
    /// <paramref name="maxRows"/> rows of copies. A refusal means that the database is wrong; the current trees are unchanged.
    /// </summary>
    public async Task<Refused?> PrepareNextAsync(int maxRows, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(maxRows);
        if (Next is null)
        {
            IReadOnlyList<PeriodRow> periods = await _store.ReadPeriodsAsync(cancellationToken).ConfigureAwait(false);
            // For a role that only follows, the database may already have this period as the current one.
            if (NextTrees is null || periods.FirstOrDefault(period => period.Period == Trees.Period + 1) is not { } next)
            {
                return null;
            }
            MakeNext(next);
        }
        return Next!.Epoch < Last.Epoch
            ? await LoadSomeNextNamesAsync(maxRows, cancellationToken).ConfigureAwait(false)
            : await LoadNextCopiesAsync(int.MaxValue, maxRows, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Adds copies to the trees of the next period. The caller read them from the database for another purpose, with at least all columns
    /// that these trees need. Does nothing when the copies do not follow <see cref="NextCopies"/> or when names are missing;
    /// <see cref="PrepareNextAsync"/> then reads them. A refusal means that the database is wrong; the current trees are unchanged.
    /// </summary>
    public async Task<Refused?> TakeNextAsync(CopyBatch copies)
    {
        ArgumentNullException.ThrowIfNull(copies);
        return Next is null || Next.Epoch < Last.Epoch || copies.Period != Next.Period || copies.First != NextCopies || copies.Rows.IsEmpty
            ? null
            : await DropNextOnDiskIfRefusedAsync(TakeCopiesAsync(Next, copies, SetNextCopies)).ConfigureAwait(false);
    }

    // Returns false for a record of another length; such a record is refused later.
    private static bool IsSwitch(EpochRow row) => row.Epoch > 0 && row.Record.Length == EpochRecord.Length && EpochRecord.BeginsPeriod(row.Record.Span);

    // Loads the names and copies that a switch needs before its epoch is staged.
    private async Task<Refused?> CompleteNextAsync(EpochRow row, CancellationToken cancellationToken)
    {
        // If the given trees have not begun yet, they already contain everything that the switch needs.
        if (!Trees.HasBegun || !IsSwitch(row))
        {
            return null;
        }
        IReadOnlyList<PeriodRow> periods = await _store.ReadPeriodsAsync(cancellationToken).ConfigureAwait(false);
        if (periods.FirstOrDefault(period => period.FirstEpoch == row.Epoch) is not { Copies: int copies } begun || begun.Period != Trees.Period + 1)
        {
            return new Refused($"Epoch {row.Epoch} begins a period that has no row in the database.");
        }
        if (Next is null)
        {
            if (NextTrees is null)
            {
                return new Refused($"Epoch {row.Epoch} begins period {begun.Period}, but its trees are not being made here.");
            }
            MakeNext(begun);
        }
        Refused? refused = await LoadNextNamesAsync(row.Epoch - 1, cancellationToken).ConfigureAwait(false) ?? await LoadNextCopiesAsync(copies, int.MaxValue, cancellationToken).ConfigureAwait(false);
        return refused is null && NextCopies != copies
            ? new Refused($"Period {begun.Period} begins with {copies} rows of copies, but {NextCopies} were read.")
            : refused ?? await _missingOfNext.CheckAsync(_store, begun.Period, cancellationToken).ConfigureAwait(false);
    }

    // Loads given trees whose period has not begun: first the names of earlier epochs, then the period's copies, then its first epoch.
    private async Task<Refused?> LoadPeriodAsync(IReadOnlyList<PeriodRow> periods, ulong target, CancellationToken cancellationToken)
    {
        if (periods.FirstOrDefault(period => period.Period == Trees.Period) is not { FirstEpoch: ulong first, Copies: int copies } || first == 0 || first > target)
        {
            return new Refused($"Period {Trees.Period} has not begun at epoch {target}, although the database's rows say so.");
        }
        Refused? refused = await CheckRecordsAsync(first - 1, cancellationToken).ConfigureAwait(false)
            ?? await LoadNamesAsync(Trees, first - 1, cancellationToken).ConfigureAwait(false)
            ?? await LoadCopiesAsync(Trees, 0, copies, cancellationToken).ConfigureAwait(false)
            ?? await _missingOfNext.CheckAsync(_store, Trees.Period, cancellationToken).ConfigureAwait(false);
        return refused ?? await FollowAsync(first, beforeCommit: null, cancellationToken).ConfigureAwait(false);
    }

    private void MakeNext(PeriodRow period)
    {
        _missingOfNext.Clear();
        Next = NextTrees!(period);
        NextPeriod = period;
        NextCopies = 0;
    }

    private void DropNext()
    {
        Next?.Dispose();
        Next = null;
        NextPeriod = null;
        NextCopies = 0;
    }

    private void Switch()
    {
        LogTrees ended = Trees;
        Trees = Next!;
        Next = null;
        NextPeriod = null;
        NextCopies = 0;
        if (Ended is null)
        {
            ended.Dispose();
        }
        else
        {
            Ended(ended, Last);
        }
    }

    private static Refused? CheckComplete(LogTrees trees, EpochRecord record) => trees.HasBegun ? new Refused($"Epoch {record.Epoch} begins period {record.Period}, whose trees were not made.")
        : trees.Epoch != record.Epoch - 1 ? new Refused($"Epoch {record.Epoch} begins period {record.Period}, whose trees have the names of epoch {trees.Epoch}.")
        : null;

    // Adds the names of the epoch that was just followed. If earlier names are missing, a later load adds them all.
    private Refused? LoadNames(ulong epoch, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values)
    {
        if (Next is null || Next.Epoch + 1 != epoch)
        {
            return null;
        }
        bool isLoaded = false;
        try
        {
            Refused? refused = Next.LoadNames(epoch, leaves, values);
            isLoaded = refused is null;
            return refused;
        }
        finally
        {
            if (!isLoaded)
            {
                DropNext();
            }
        }
    }

    private async Task<Refused?> LoadNextNamesAsync(ulong through, CancellationToken cancellationToken) => Next!.Epoch >= through
        ? null
        : await DropNextIfRefusedAsync(LoadNamesAsync(Next, through, cancellationToken)).ConfigureAwait(false);

    private Task<Refused?> LoadSomeNextNamesAsync(int maxLeaves, CancellationToken cancellationToken) =>
        DropNextIfRefusedAsync(LoadSomeNamesAsync(Next!, Last.Epoch, maxLeaves, cancellationToken));

    private async Task<Refused?> LoadNamesAsync(LogTrees trees, ulong through, CancellationToken cancellationToken)
    {
        while (trees.Epoch < through)
        {
            if (await LoadSomeNamesAsync(trees, through, LoadBatchRows, cancellationToken).ConfigureAwait(false) is { } refused)
            {
                return refused;
            }
        }
        return await BackgroundThread.RunAsync(() => trees.EndLoad(through)).ConfigureAwait(false);
    }

    // This method does not check that it loads all names: the roots in the period's first record will show that.
    private async Task<Refused?> LoadSomeNamesAsync(LogTrees trees, ulong through, int maxLeaves, CancellationToken cancellationToken)
    {
        ulong first = trees.Epoch + 1;
        (LeafBatch names, ulong? end) = await _store.ReadNamesAsync(first, through, maxLeaves, trees.Columns, cancellationToken).ConfigureAwait(false);
        _missingOfNext.Add(names.Rows.Span, trees.Values);
        return end is ulong last
            ? await BackgroundThread.RunAsync(() => trees.LoadNames(last, names.Rows.Span, names.Values.Span)).ConfigureAwait(false)
            : new Refused($"The database has no epoch {first}, whose names period {trees.Period} needs.");
    }

    // Waits for the loading. After a refusal or failure, the trees are unusable, so they are dropped.
    private async Task<Refused?> DropNextIfRefusedAsync(Task<Refused?> loading)
    {
        bool isLoaded = false;
        try
        {
            Refused? refused = await loading.ConfigureAwait(false);
            isLoaded = refused is null;
            return refused;
        }
        finally
        {
            if (!isLoaded)
            {
                DropNext();
            }
        }
    }

    private Task<Refused?> LoadNextCopiesAsync(int through, int maxRows, CancellationToken cancellationToken)
    {
        int end = (int)Math.Min(through, (long)NextCopies + maxRows);
        return DropNextOnDiskIfRefusedAsync(LoadCopiesAsync(Next!, NextCopies, end, cancellationToken, SetNextCopies));
    }

    // Waits for the loading. After a disk failure, the state of the trees is unknown, so they are dropped.
    private async Task<Refused?> DropNextOnDiskIfRefusedAsync(Task<Refused?> loading)
    {
        try
        {
            return await loading.ConfigureAwait(false);
        }
        catch (OptiksNativeException)
        {
            DropNext();
            throw;
        }
    }

    private void SetNextCopies(int end) => NextCopies = end;

    private async Task<Refused?> LoadCopiesAsync(LogTrees trees, int first, int end, CancellationToken cancellationToken, Action<int>? taken = null)
    {
        while (first < end)
        {
            CopyBatch copies = await _store.ReadCopiesAsync(trees.Period, first, Math.Min(end - first, CopiesPerRead), trees.Columns, cancellationToken).ConfigureAwait(false);
            if (copies.Rows.IsEmpty)
            {
                break;
            }
            if (await TakeCopiesAsync(trees, copies, taken).ConfigureAwait(false) is { } refused)
            {
                return refused;
            }
            first = copies.End;
        }
        return null;
    }

    private async Task<Refused?> TakeCopiesAsync(LogTrees trees, CopyBatch copies, Action<int>? taken)
    {
        _missingOfNext.AddCopies(copies.Rows.Span, trees.Values);
        Refused? refused = await BackgroundThread.RunAsync(() => trees.LoadCopies(copies.Rows.Span, copies.Values.Span)).ConfigureAwait(false);
        if (refused is null)
        {
            taken?.Invoke(copies.End);
        }
        return refused;
    }
}
