using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage;

/// <content>Prepares the trees of the next period while the current period's trees are in use. At the switch to the next period, the new
/// trees replace the current trees (docs/spec/periods.md section 10).</content>
public sealed partial class LogReplay
{
    private const int CopiesPerRead = 65_536;

    private readonly MissingValues _missingOfNext = new();

    /// <summary>
    /// The function that creates the trees of a period that has not begun, with the period's secrets. If it is null, this replay cannot
    /// create such trees and refuses a switch.
    /// </summary>
    public Func<PeriodRow, LogTrees>? NextTrees { get; init; }

    /// <summary>
    /// The action to which a switch passes the trees of the period that it ends, at that period's last epoch. The receiver then owns these
    /// trees. If the action is null, the replay disposes of the trees.
    /// </summary>
    public Action<LogTrees, VerifiedEpoch>? Ended { get; init; }

    /// <summary>
    /// The trees of the next period, the one after the period of <see cref="Trees"/>. They may still be incomplete. Null if this replay has
    /// not created them.
    /// </summary>
    public LogTrees? Next { get; private set; }

    /// <summary>The row of the period of <see cref="Next"/>, as the database had it when the trees were created.</summary>
    public PeriodRow? NextPeriod { get; private set; }

    /// <summary>The number of rows of copies that have been added to <see cref="Next"/>, which is also the number of the next row to
    /// add.</summary>
    public int NextCopies { get; private set; }

    /// <summary>
    /// Takes one step in filling the trees of the next period, if the database has a next period. A step is short, so that it does not
    /// delay an epoch for long. It adds the leaves of the structures <c>usernames</c> and <c>decommissioned</c> up to the epoch
    /// <see cref="Last"/>, and reads about as many leaves as the limit <paramref name="maxRows"/>. Once these names are complete, a step
    /// adds rows of copies, at most as many as this limit. A refusal means that the database's contents are wrong; the current trees are
    /// unchanged.
    /// </summary>
    public async Task<Refused?> PrepareNextAsync(int maxRows, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(maxRows);
        if (Next is null)
        {
            IReadOnlyList<PeriodRow> periods = await _store.ReadPeriodsAsync(cancellationToken).ConfigureAwait(false);
            // In a program that only follows the log, the database may already have a later epoch, for which this period is the current
            // one.
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
    /// Adds copies that the caller has already read from the database to the trees of the next period. The copies must have all columns
    /// that these trees need. Does nothing if they do not begin at <see cref="NextCopies"/>, or if the trees still lack names; in these
    /// cases <see cref="PrepareNextAsync"/> reads the copies later. A refusal means that the database's contents are wrong; the current
    /// trees are unchanged.
    /// </summary>
    public async Task<Refused?> TakeNextAsync(CopyBatch copies)
    {
        ArgumentNullException.ThrowIfNull(copies);
        return Next is null || Next.Epoch < Last.Epoch || copies.Period != Next.Period || copies.First != NextCopies || copies.Rows.IsEmpty
            ? null
            : await DropNextOnDiskIfRefusedAsync(TakeCopiesAsync(Next, copies, SetNextCopies)).ConfigureAwait(false);
    }

    // Returns whether an epoch's record begins a period. Returns false for a record of a wrong length, which another check refuses later.
    private static bool IsSwitch(EpochRow row) =>
        row.Epoch > 0 && row.Record.Length == EpochRecord.Length && EpochRecord.BeginsPeriod(row.Record.Span);

    // Loads the names and copies that a switch needs before its epoch is staged.
    private async Task<Refused?> CompleteNextAsync(EpochRow row, CancellationToken cancellationToken)
    {
        // If the period of the current trees has not begun, these trees already contain everything that the switch needs.
        if (!Trees.HasBegun || !IsSwitch(row))
        {
            return null;
        }
        IReadOnlyList<PeriodRow> periods = await _store.ReadPeriodsAsync(cancellationToken).ConfigureAwait(false);
        if (periods.FirstOrDefault(period => period.FirstEpoch == row.Epoch) is not { Copies: int copies } begun
            || begun.Period != Trees.Period + 1)
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
        Refused? refused = await LoadNextNamesAsync(row.Epoch - 1, cancellationToken).ConfigureAwait(false)
            ?? await LoadNextCopiesAsync(copies, int.MaxValue, cancellationToken).ConfigureAwait(false);
        refused = refused is null && NextCopies != copies
            ? new Refused($"Period {begun.Period} begins with {copies} rows of copies, but {NextCopies} were read.")
            : refused ?? await _missingOfNext.CheckAsync(_store, begun.Period, cancellationToken).ConfigureAwait(false);
        return refused ?? await DropNextIfRefusedAsync(EndLoadAsync(Next!, row.Epoch - 1)).ConfigureAwait(false);
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
            ?? await LoadNamesAsync(Trees, first - 1, cancellationToken).ConfigureAwait(false)
            ?? await LoadCopiesAsync(Trees, 0, copies, cancellationToken).ConfigureAwait(false)
            ?? await _missingOfNext.CheckAsync(_store, Trees.Period, cancellationToken).ConfigureAwait(false)
            ?? await EndLoadAsync(Trees, first - 1).ConfigureAwait(false);
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

    private static Refused? CheckComplete(LogTrees trees, EpochRecord record) =>
        trees.HasBegun ? new Refused($"Epoch {record.Epoch} begins period {record.Period}, whose trees were not made.")
        : trees.Epoch != record.Epoch - 1
            ? new Refused($"Epoch {record.Epoch} begins period {record.Period}, whose trees have the names of epoch {trees.Epoch}.")
        : null;

    // Adds to the next period's trees the names of the epoch that the replay has just reached. If these trees lack earlier names, does
    // nothing, because a later load adds all of them.
    private Refused? LoadNames(ulong epoch, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values)
    {
        if (Next is null || Next.Epoch + 1 != epoch)
        {
            return null;
        }
        bool isLoaded = false;
        try
        {
            // The names of the log's first epoch may begin a load. It must end before copies can be loaded.
            Refused? refused = Next.LoadNames(epoch, leaves, values) ?? Next.EndStartedLoad();
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
        return null;
    }

    private static Task<Refused?> EndLoadAsync(LogTrees trees, ulong epoch) => BackgroundThread.RunAsync(() => trees.EndLoad(epoch));

    // Loads names, and ends the load when the trees have all names up to the epoch that the parameter "through" gives. In stored mode, all
    // names of one load get into the trees together, which is much faster than one epoch after the other.
    // This method does not check that it loads all names, because the roots in the period's first record will show whether any are missing.
    private async Task<Refused?> LoadSomeNamesAsync(LogTrees trees, ulong through, int maxLeaves, CancellationToken cancellationToken)
    {
        ulong first = trees.Epoch + 1;
        (LeafBatch names, ulong? end) =
            await _store.ReadNamesAsync(first, through, maxLeaves, trees.Columns, cancellationToken).ConfigureAwait(false);
        _missingOfNext.Add(names.Rows.Span, trees.Values);
        return end is ulong last
            ? await BackgroundThread.RunAsync(
                () => trees.LoadNames(last, names.Rows.Span, names.Values.Span) ?? (last >= through ? trees.EndStartedLoad() : null))
                .ConfigureAwait(false)
            : new Refused($"The database has no epoch {first}, whose names period {trees.Period} needs.");
    }

    // Waits until the loading ends. If it was refused or failed, the next period's trees are unusable, so this method drops them.
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

    // Waits until the loading ends. If it failed because of the disk, the state of the next period's trees is unknown, so this method drops
    // them.
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

    private async Task<Refused?> LoadCopiesAsync(
        LogTrees trees, int first, int end, CancellationToken cancellationToken, Action<int>? taken = null)
    {
        while (first < end)
        {
            CopyBatch copies =
                await _store.ReadCopiesAsync(trees.Period, first, Math.Min(end - first, CopiesPerRead), trees.Columns, cancellationToken)
                    .ConfigureAwait(false);
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
        Refused? refused =
            await BackgroundThread.RunAsync(() => trees.LoadCopies(copies.Rows.Span, copies.Values.Span)).ConfigureAwait(false);
        if (refused is null)
        {
            taken?.Invoke(copies.End);
        }
        return refused;
    }
}
