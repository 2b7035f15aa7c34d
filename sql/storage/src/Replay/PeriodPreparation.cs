using Optiks.Native;

namespace Optiks.Storage;

/// <summary>
/// Prepares the trees of the next period while the current period's trees are in use (docs/spec/periods.md section 10). Also fills trees
/// of a period that has already begun, because these trees need the same names and copies. Not thread-safe.
/// </summary>
internal sealed class PeriodPreparation : IDisposable
{
    private const int NamesPerRead = 65_536;
    private const int CopiesPerRead = 65_536;

    private readonly IFollowStore _store;
    private readonly MissingValues _missing = new();

    public PeriodPreparation(IFollowStore store) => _store = store;

    /// <inheritdoc cref="LogReplay.NextTrees"/>
    public Func<PeriodRow, LogTrees>? NextTrees { get; set; }

    /// <inheritdoc cref="LogReplay.Next"/>
    public LogTrees? Next { get; private set; }

    /// <inheritdoc cref="LogReplay.NextPeriod"/>
    public PeriodRow? NextPeriod { get; private set; }

    /// <inheritdoc cref="LogReplay.NextCopies"/>
    public int NextCopies { get; private set; }

    /// <summary>Takes one step in filling the trees of the period after the given one (<see cref="LogReplay.PrepareNextAsync"/>).</summary>
    /// <param name="period">The period of the current trees.</param>
    /// <param name="last">The last epoch, up to which the trees get names.</param>
    /// <param name="maxRows">The most rows of copies to add, and about the most leaves to read.</param>
    /// <param name="cancellationToken">Cancels the reads.</param>
    public async Task<Refused?> PrepareAsync(ulong period, ulong last, int maxRows, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(maxRows);
        if (Next is null)
        {
            IReadOnlyList<PeriodRow> periods = await _store.ReadPeriodsAsync(cancellationToken).ConfigureAwait(false);
            // In a program that only follows the log, the database may already have a later epoch, for which this period is the current
            // one.
            if (NextTrees is null || periods.FirstOrDefault(row => row.Period == period + 1) is not { } next)
            {
                return null;
            }
            MakeNext(next);
        }
        return Next!.Epoch < last
            ? await LoadSomeNextNamesAsync(last, maxRows, cancellationToken).ConfigureAwait(false)
            : await LoadNextCopiesAsync(int.MaxValue, maxRows, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Adds copies that the caller has already read from the database to the trees of the next period
    /// (<see cref="LogReplay.TakeNextAsync"/>). The epoch <paramref name="last"/> is the last one, whose names the trees need first.
    /// </summary>
    public async Task<Refused?> TakeAsync(CopyBatch copies, ulong last)
    {
        ArgumentNullException.ThrowIfNull(copies);
        return Next is null || Next.Epoch < last || copies.Period != Next.Period || copies.First != NextCopies || copies.Rows.IsEmpty
            ? null
            : await DropNextOnDiskIfRefusedAsync(TakeCopiesAsync(Next, copies, SetNextCopies)).ConfigureAwait(false);
    }

    /// <summary>Loads the names and copies that a switch needs before its epoch is staged.</summary>
    /// <param name="period">The period of the current trees, which the switch ends.</param>
    /// <param name="row">The epoch that begins the next period.</param>
    /// <param name="cancellationToken">Cancels the reads.</param>
    public async Task<Refused?> CompleteAsync(ulong period, EpochRow row, CancellationToken cancellationToken)
    {
        IReadOnlyList<PeriodRow> periods = await _store.ReadPeriodsAsync(cancellationToken).ConfigureAwait(false);
        if (periods.FirstOrDefault(one => one.FirstEpoch == row.Epoch) is not { Copies: int copies } begun
            || begun.Period != period + 1)
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
            : refused ?? await _missing.CheckAsync(_store, begun.Period, cancellationToken).ConfigureAwait(false);
        return refused ?? await DropNextIfRefusedAsync(EndLoadAsync(Next!, row.Epoch - 1)).ConfigureAwait(false);
    }

    /// <summary>
    /// Fills trees whose period has begun in the log, but not in the trees: loads the names of the epochs before the period, and then the
    /// period's copies, and ends the load.
    /// </summary>
    /// <param name="trees">The trees.</param>
    /// <param name="first">The period's first epoch.</param>
    /// <param name="copies">The number of rows of copies with which the period begins.</param>
    /// <param name="cancellationToken">Cancels the reads.</param>
    public async Task<Refused?> FillAsync(LogTrees trees, ulong first, int copies, CancellationToken cancellationToken) =>
        await LoadNamesAsync(trees, first - 1, cancellationToken).ConfigureAwait(false)
            ?? await LoadCopiesAsync(trees, 0, copies, cancellationToken).ConfigureAwait(false)
            ?? await _missing.CheckAsync(_store, trees.Period, cancellationToken).ConfigureAwait(false)
            ?? await EndLoadAsync(trees, first - 1).ConfigureAwait(false);

    /// <summary>Returns the trees of the next period to the switch that begins this period. The caller then owns these trees.</summary>
    public LogTrees Release()
    {
        LogTrees next = Next!;
        Next = null;
        NextPeriod = null;
        NextCopies = 0;
        return next;
    }

    /// <inheritdoc/>
    public void Dispose() => Next?.Dispose();

    /// <summary>
    /// Adds to the next period's trees the names of the epoch that the replay has just reached. If these trees lack earlier names, does
    /// nothing, because a later load adds all of them.
    /// </summary>
    public Refused? LoadNames(ulong epoch, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values)
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

    private void MakeNext(PeriodRow period)
    {
        _missing.Clear();
        Next = NextTrees!(period);
        NextPeriod = period;
        NextCopies = 0;
    }

    private void DropNext()
    {
        if (Next is not null)
        {
            Release().Dispose();
        }
    }

    private async Task<Refused?> LoadNextNamesAsync(ulong through, CancellationToken cancellationToken) => Next!.Epoch >= through
        ? null
        : await DropNextIfRefusedAsync(LoadNamesAsync(Next, through, cancellationToken)).ConfigureAwait(false);

    private Task<Refused?> LoadSomeNextNamesAsync(ulong last, int maxLeaves, CancellationToken cancellationToken) =>
        DropNextIfRefusedAsync(LoadSomeNamesAsync(Next!, last, maxLeaves, cancellationToken));

    private async Task<Refused?> LoadNamesAsync(LogTrees trees, ulong through, CancellationToken cancellationToken)
    {
        while (trees.Epoch < through)
        {
            if (await LoadSomeNamesAsync(trees, through, NamesPerRead, cancellationToken).ConfigureAwait(false) is { } refused)
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
        _missing.Add(names.Rows.Span, trees.Values);
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
        _missing.AddCopies(copies.Rows.Span, trees.Values);
        Refused? refused =
            await BackgroundThread.RunAsync(() => trees.LoadCopies(copies.Rows.Span, copies.Values.Span)).ConfigureAwait(false);
        if (refused is null)
        {
            taken?.Invoke(copies.End);
        }
        return refused;
    }
}
