using Optiks.Native;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Pipeline;

namespace Optiks.UpdateTask.Periods;

/// <summary>
/// Prepares the next period by staging its copies, chunk by chunk. For each chunk, it writes rows into the database and reads them back. It
/// then writes them into a bundle next to the board, and adds them to the next period's trees. It continues after rows that another task
/// has staged. Only one thread may use it.
/// </summary>
/// <remarks>
/// Invariant: the rows in bundles and trees were read from the database after the transaction that staged them. The bundles and trees
/// therefore contain no value that an epoch erased while the rows were staged.
/// </remarks>
internal sealed class CopyStager
{
    private const int RowsPerRead = 16_384;

    private readonly LeasedLog _log;
    private readonly LogSession _session;
    private readonly PeriodRow _next;
    private readonly int _rowsPerChunk;
    private readonly CopySweep _sweep;
    private readonly HashSet<CopyTag> _takenOut = [];
    private CopySource? _last;
    private int _bundled;

    private CopyStager(LeasedLog log, PeriodRow next, int rowsPerChunk)
    {
        _log = log;
        _session = log.Session;
        _next = next;
        _rowsPerChunk = rowsPerChunk;
        _sweep = new CopySweep(log.Session, log.Store);
    }

    /// <summary>The number of the period that is being prepared.</summary>
    public ulong Period => _next.Period;

    /// <summary>The number of rows of copies that are staged in the database.</summary>
    public int Rows { get; private set; }

    /// <summary>
    /// Whether the result of the last transaction is unknown, so that its rows may or may not be staged. If so, the caller must continue
    /// with a new stager, which reads the staged rows from the database first.
    /// </summary>
    public bool IsInDoubt { get; private set; }

    /// <summary>Opens a stager that continues after the rows that are already staged.</summary>
    public static async Task<CopyStager> OpenAsync(LeasedLog log, PeriodRow next, int rowsPerChunk, CancellationToken cancellationToken)
    {
        var stager = new CopyStager(log, next, rowsPerChunk);
        while (true)
        {
            CopyBatch page = await log.Store.ReadCopiesAsync(next.Period, stager.Rows, RowsPerRead, LeafColumns.Trees, cancellationToken);
            if (page.Rows.IsEmpty)
            {
                break;
            }
            stager.Took(page);
        }
        if (stager._last is { } last)
        {
            stager._sweep.ContinueAfter(last);
        }
        if (log.Session.State.CopiesEnd(next.Period) is int bundled)
        {
            stager._bundled = bundled;
        }
        else
        {
            // The period's first bundle contains only the period's secrets. If an operator imports the bundles into an older database, that
            // database thus gets the secrets that belong to the copies.
            await stager.BundleAsync(new CopyBatch(next.Period, 0, default, default, default, default, default), cancellationToken);
        }
        return stager;
    }

    /// <summary>
    /// Does one piece of the remaining work, at most about one chunk of copies. Returns false if no work remained: all copies up to the
    /// session's last epoch are in the database, in bundles and in the trees.
    /// </summary>
    public async Task<bool> WorkAsync(CancellationToken cancellationToken)
    {
        if (await CatchUpAsync(cancellationToken))
        {
            return true;
        }
        using var inputs = new CopyInputs();
        SweepPosition start = _sweep.Position;
        bool isStaged = false;
        try
        {
            if (!await _sweep.FillAsync(inputs, _rowsPerChunk, cancellationToken))
            {
                isStaged = true;
                return false;
            }
            isStaged = inputs.Count == 0 || await StageAsync(inputs, cancellationToken);
        }
        finally
        {
            if (!isStaged)
            {
                _sweep.ContinueAt(start);
            }
        }
        return true;
    }

    /// <summary>
    /// Removes keys from the next period by staging rows that remove them. When this method returns, these rows are in the database. Only
    /// then may the caller erase the device lists that name the keys.
    /// </summary>
    public async Task TakeOutAsync(IEnumerable<UpdateKey> keys, CancellationToken cancellationToken)
    {
        foreach (UpdateKey[] some in keys.Chunk(_rowsPerChunk))
        {
            using var inputs = new CopyInputs();
            foreach (UpdateKey key in some)
            {
                _ = inputs.TakeOut(key);
            }
            if (!await StageAsync(inputs, cancellationToken))
            {
                throw new StorageUnavailableException("The entries of an erased user are not removed from the next period yet.");
            }
        }
    }

    private async Task<bool> StageAsync(CopyInputs inputs, CancellationToken cancellationToken)
    {
        KeyDirectory directory = (await TreesAsync(cancellationToken)).Directory;
        if (await BackgroundThread.RunAsync(() => inputs.Prepare(directory, _next.Period, Rows, _takenOut)) is not { } copies)
        {
            return true;
        }
        _log.Keeper.ThrowUnlessHeld();
        // The result of the transaction is in doubt until the call returns it.
        IsInDoubt = true;
        StageResult result = await _log.Store.StageCopiesAsync(_log.Lease, copies, CancellationToken.None);
        switch (result)
        {
            case StageResult.Staged:
                IsInDoubt = false;
                FailPoints.Hit(FailPoints.PeriodChunk);
                Took(copies);
                _ = await CatchUpAsync(cancellationToken);
                return true;
            case StageResult.SourceErased:
                IsInDoubt = false;
                return false;
            case StageResult.Fenced:
                throw new StorageFencedException(
                    $"The copies from {copies.First} on of period {_next.Period} were not staged: another task holds the lease.");
            default:
                throw new StorageUnavailableException(
                    $"Whether the copies from {copies.First} on of period {_next.Period} were staged is not known.");
        }
    }

    private void Took(CopyBatch copies)
    {
        for (int i = 0; i < copies.Rows.Length; i++)
        {
            CopySource source = copies.Sources.Span[i];
            if (source.IsDrop)
            {
                _takenOut.Add(CopyTag.From(copies.Rows.Span[i]));
            }
            else
            {
                _last = source;
            }
        }
        Rows = copies.End;
    }

    // Adds staged rows that are missing from the bundles and from the next period's trees. Returns true if rows or epochs are still missing
    // there.
    private async Task<bool> CatchUpAsync(CancellationToken cancellationToken)
    {
        if (_bundled < Rows)
        {
            CopyBatch page = await _log.Store.ReadCopiesAsync(
                _next.Period, _bundled, Math.Min(Rows - _bundled, RowsPerRead), LeafColumns.All, cancellationToken);
            await BundleAsync(page, cancellationToken);
            ThrowIf(await _session.Replay.TakeNextAsync(page));
        }
        LogTrees trees = await TreesAsync(cancellationToken);
        return _bundled < Rows || _session.Replay.NextCopies < Rows || trees.Epoch < _session.Last.Epoch;
    }

    private async Task<LogTrees> TreesAsync(CancellationToken cancellationToken)
    {
        LogReplay replay = _session.Replay;
        if (replay.Next is null || replay.NextCopies < Rows || replay.Next.Epoch < _session.Last.Epoch)
        {
            ThrowIf(await replay.PrepareNextAsync(RowsPerRead, cancellationToken));
        }
        return replay.Next
            ?? throw new StorageCorruptException($"The database no longer has period {_next.Period}, although its copies are being made.");
    }

    private static void ThrowIf(Refused? refused)
    {
        if (refused is not null)
        {
            throw new StorageCorruptException(refused.Why);
        }
    }

    // Writes a bundle of copies. Only the holder of the lease writes bundles. This method takes the board's lock for the write, because
    // another part of the task may erase values from bundles at the same time.
    private async Task BundleAsync(CopyBatch copies, CancellationToken cancellationToken)
    {
        using BoardLock boardLock = await _log.LockBoardAsync(cancellationToken);
        await _log.CheckHeadAsync(CancellationToken.None);
        _session.State.RecordCopies(new CopyBundle(_session.Last.Epoch, copies.First == 0 ? _next.WrappedSecrets : default, copies));
        _bundled = copies.End;
    }
}
