using System.Diagnostics;
using Optiks.Native;
using Optiks.QueryService.Telemetry;
using Optiks.Secrets;
using Optiks.Storage;
using Optiks.Storage.Hosting;

namespace Optiks.QueryService.Following;

/// <summary>
/// Keeps the ended periods that are still served, each at its last epoch (docs/spec/periods.md section 8). At a switch, this class takes
/// over the trees. If they are in memory, it makes a node store from them in the background, which the service loads the next time it
/// starts. If neither trees nor node store exist, it makes the trees again from the database. Only the follower's thread may use this
/// class.
/// </summary>
/// <remarks>Invariant: when readers get trees together with an epoch, all erasures up to that epoch have been applied to these
/// trees.</remarks>
internal sealed class EndedPeriods : IDisposable
{
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(15);

    private readonly StorageSource _storage;
    private readonly ReplicaLoader _loader;
    private readonly FollowerState _state;
    private readonly TimeProvider _clock;
    private readonly ILogger<EndedPeriods> _logger;
    private readonly CancellationTokenSource _end = new();

    // For each period whose trees were taken over at a switch, the task that completes when the period's snapshot saver no longer uses the
    // trees.
    private readonly Dictionary<ulong, Task> _savers = [];

    // The trees that readers already have, or will get with the next epoch.
    private readonly SortedDictionary<ulong, EndedPeriod> _served = [];

    // The trees that were replaced but that readers still use. Erasures are applied to them until their last reader ends.
    private readonly List<EndedPeriod> _retired = [];
    private Making? _making;
    private ulong? _failed;
    private long _failedAt;
    private bool _isUngiven;
    private ulong _deletedBefore;

    public EndedPeriods(StorageSource storage, ReplicaLoader loader, FollowerState state, TimeProvider clock, ILogger<EndedPeriods> logger)
    {
        _storage = storage;
        _loader = loader;
        _state = state;
        _clock = clock;
        _logger = logger;
    }

    /// <summary>Takes over the trees of a period that has just ended.</summary>
    /// <param name="trees">The period's trees, which are at its last epoch.</param>
    /// <param name="last">The period's last epoch.</param>
    /// <param name="saved">The task that completes when no saver uses the trees any more.</param>
    public void Keep(LogTrees trees, VerifiedEpoch last, Task saved)
    {
        _served.Add(trees.Period, new EndedPeriod(trees, last));
        _savers[trees.Period] = saved;
    }

    /// <summary>Whether there are new trees that readers have not got yet.</summary>
    public bool HasNews => _isUngiven || _making is { Task.IsCompleted: true };

    /// <summary>Whether a period's node store is being made, which takes the full throughput of the disk and of one processor.</summary>
    public bool IsMaking => _making is not null;

    /// <summary>
    /// Applies the erasures of all epochs up to the given one, which will be served next, to the trees of all ended periods. A refusal
    /// means that the database's contents are wrong, and that the epoch must not be served.
    /// </summary>
    public async Task<Refused?> PrepareAsync(IFollowStore store, ulong epoch, CancellationToken cancellationToken)
    {
        await TakeMadeAsync();
        // Trees with readers must erase first. If several trees share a leaf log, only the first of them keeps its readers away from
        // half-erased values while it erases.
        EndedPeriod[] behind = [.. _retired.Concat(_served.Values).Where(ended => ended.ErasedThrough < epoch)];
        if (behind.Length == 0)
        {
            return null;
        }
        IReadOnlyList<StoredErasure> erasures =
            await store.ReadErasuresAsync(behind.Min(ended => ended.ErasedThrough) + 1, epoch, cancellationToken);
        return behind.Select(ended => ended.Erase(erasures, epoch)).FirstOrDefault(refused => refused is not null);
    }

    /// <summary>Returns the ended periods that belong to the epoch for which <see cref="PrepareAsync"/> was called. From now on, readers
    /// get these periods and that epoch.</summary>
    /// <param name="current">The period of the prepared epoch.</param>
    public IEnumerable<EndedPeriod> TakeServed(ulong current)
    {
        _isUngiven = false;
        return _served.Values.Where(ended => ended.Period >= FirstServed(current));
    }

    /// <summary>
    /// Closes and deletes trees that are no longer served, and begins to make missing trees. The follower calls it after an epoch of the
    /// current period (<paramref name="current"/>) is served.
    /// </summary>
    public async Task TidyAsync(IFollowStore store, ReplicaFolder folder, ulong current, CancellationToken cancellationToken)
    {
        ulong first = FirstServed(current);
        foreach ((ulong period, EndedPeriod ended) in _served)
        {
            ended.Shrink();
            // A period whose trees are in a node store needs its snapshot no more, and no saver writes another one.
            if (ended.IsInFile && _savers.TryGetValue(period, out Task? saved) && saved.IsCompleted)
            {
                folder.DeleteSnapshot(period);
                _savers.Remove(period);
            }
        }
        // Trees from which a node store is being made stay until the node store exists, even if further periods begin in the meantime.
        foreach (ulong period in _served.Keys.Where(period => period < first && period != _making?.Period).ToArray())
        {
            _retired.Add(_served[period]);
            _served.Remove(period);
            _savers.Remove(period);
        }
        _retired.ForEach(ended => ended.Retire());
        _retired.RemoveAll(ended => ended.TryDispose());
        // While a period's node store is being made, no files are deleted.
        if (_deletedBefore < first && _making is null && !_retired.Exists(ended => ended.Period < first))
        {
            folder.DeleteBefore(first);
            _deletedBefore = first;
        }
        if (_making is null && (_failed is null || _clock.GetElapsedTime(_failedAt) >= s_retry))
        {
            await BeginNextAsync(store, folder, first, current, cancellationToken);
        }
    }

    /// <summary>
    /// Withdraws a period's damaged trees from readers and deletes their files, so that the trees are made again from the database.
    /// </summary>
    public async Task DiscardAsync(ReplicaFolder folder, ulong period, CancellationToken cancellationToken)
    {
        if (_making?.Period == period)
        {
            await _making.Task.WaitAsync(cancellationToken);
            await TakeMadeAsync();
        }
        if (_served.Remove(period, out EndedPeriod? damaged))
        {
            _retired.Add(damaged);
            _savers.Remove(period);
            _isUngiven = true;
        }
        folder.Discard(period);
    }

    /// <summary>
    /// Closes all trees. The follower calls it last, when there are no more readers. If the token is cancelled before trees that are being
    /// made are complete, these trees stay open until the process ends.
    /// </summary>
    public async Task EndAsync(CancellationToken cancellationToken)
    {
        if (_end.IsCancellationRequested)
        {
            return;
        }
        await _end.CancelAsync();
        if (_making is not null)
        {
            await _making.Task.WaitAsync(cancellationToken);
            await TakeMadeAsync();
        }
        foreach (EndedPeriod ended in _served.Values.Concat(_retired))
        {
            ended.Close();
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _end.Dispose();

    // A period p is served as long as the current period is at most p + R - 1, where R is the number of retained periods.
    private ulong FirstServed(ulong current) => current < _state.RetainedPeriods ? 0 : current - _state.RetainedPeriods + 1;

    private async Task TakeMadeAsync()
    {
        if (_making is not { Task.IsCompleted: true } done)
        {
            return;
        }
        _making = null;
        if (await done.Task is not { } made)
        {
            _failed = done.Period;
            _failedAt = _clock.GetTimestamp();
            return;
        }
        _failed = null;
        _isUngiven = true;
        if (_served.Remove(made.Period, out EndedPeriod? before))
        {
            _retired.Add(before);
        }
        _served.Add(made.Period, made);
        _savers.Remove(made.Period);
    }

    // Begins to make the node store of the newest period that has none. After a failure, begins with an older period.
    private async Task BeginNextAsync(
        IFollowStore store, ReplicaFolder folder, ulong first, ulong current, CancellationToken cancellationToken)
    {
        ulong[] missing = [.. Periods(first, current)
            .Where(period => !_served.TryGetValue(period, out EndedPeriod? held) || !held.IsInFile)];
        if (missing.Length == 0)
        {
            return;
        }
        IReadOnlyList<PeriodRow> periods = await store.ReadPeriodsAsync(cancellationToken);
        // The database may be ahead of this replica. Some of these periods may then be destroyed in the database already.
        PeriodRow[] rows = [.. periods.Where(row => row.State == PeriodState.Ended && missing.Contains(row.Period))];
        if ((rows.LastOrDefault(row => row.Period < _failed) ?? rows.LastOrDefault()) is { } next
            && periods.FirstOrDefault(row => row.Period == next.Period + 1)?.FirstEpoch is ulong end)
        {
            EndedPeriod? held = _served.GetValueOrDefault(next.Period);
            Task saved = _savers.GetValueOrDefault(next.Period, Task.CompletedTask);
            _making = new Making(next.Period, Task.Run(() => MakeAsync(folder, next, end - 1, held, saved), CancellationToken.None));
        }
    }

    private static IEnumerable<ulong> Periods(ulong first, ulong end)
    {
        for (ulong period = first; period < end; period++)
        {
            yield return period;
        }
    }

    // Returns an ended period in a node store. If the node store cannot be made, logs the reason and returns null.
    private async Task<EndedPeriod?> MakeAsync(ReplicaFolder folder, PeriodRow period, ulong last, EndedPeriod? held, Task saved)
    {
        long start = Stopwatch.GetTimestamp();
        string why;
        Exception? failure = null;
        try
        {
            await saved.WaitAsync(_end.Token);
            await using IFollowStore store = await _storage.OpenFollowAsync(_end.Token);
            (EndedPeriod? made, Refused? refused) = await _loader.LoadEndedAsync(store, folder, period, last, held, _end.Token);
            if (made is not null)
            {
                double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
                _logger.EndedPeriodReady(made.Period, made.Epoch, seconds);
                return made;
            }
            why = refused!.Why;
        }
        catch (OperationCanceledException) when (_end.IsCancellationRequested)
        {
            return null;
        }
        catch (Exception e) when (e is StorageException or SecretsException or SignerUnavailableException or IOException
            or UnauthorizedAccessException or OptiksNativeException { Status: NativeStatus.Io })
        {
            why = e.Message;
            failure = e;
        }
        _logger.EndedPeriodNotMade(period.Period, why, failure);
        return null;
    }

    private sealed record Making(ulong Period, Task<EndedPeriod?> Task);
}
