using System.Diagnostics;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Telemetry;
using Optiks.Secrets;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Storage.Hosting;

namespace Optiks.QueryService.Following;

/// <summary>
/// Keeps this replica's copy of the log: reads the database, and updates the replica's folder, the trees and the served epoch
/// (<see cref="CurrentEpoch"/>). After any failure, the replica continues to serve the last good epoch. Not thread-safe.
/// </summary>
internal sealed class FollowedLog
{
    // The largest number of epochs that the replica follows in one step. At the end of each step, it serves the step's last epoch.
    private const ulong EpochsPerStep = 256;

    // The largest number of rows that one step adds to the next period's trees. The number is limited so that neither new epochs nor other
    // users of the database wait for long.
    private const int RowsPerStep = 4096;

    private static readonly TimeSpan s_wait = TimeSpan.FromSeconds(2);

    // The pause between two reads of the board while its checkpoint waits for witnesses. The replica polls, because it gets no notification
    // when another program writes the board's files.
    private static readonly TimeSpan s_boardPause = TimeSpan.FromMilliseconds(200);

    private readonly StorageSource _storage;
    private readonly ReplicaLoader _loader;
    private readonly EndedPeriods _ended;
    private readonly BoardReach _reach;
    private readonly CurrentEpoch _current;
    private readonly DamagedFiles _damage;
    private readonly QueryMetrics _metrics;
    private readonly TimeProvider _clock;
    private readonly ILogger<FollowedLog> _logger;
    private IFollowStore? _store;
    private ReplicaFolder? _folder;
    private LogReplay? _replay;
    private SnapshotSaver? _saver;
    private ulong _savedPeriod;
    private string? _unprepared;
    private long? _prepared;
    private TimeSpan _rest;

    public FollowedLog(
        StorageSource storage, ReplicaLoader loader, EndedPeriods ended, BoardReach reach, CurrentEpoch current, DamagedFiles damage,
        QueryMetrics metrics, TimeProvider clock, ILogger<FollowedLog> logger)
    {
        _damage = damage;
        _storage = storage;
        _loader = loader;
        _ended = ended;
        _reach = reach;
        _current = current;
        _metrics = metrics;
        _clock = clock;
        _logger = logger;
    }

    /// <summary>Whether the trees have been loaded.</summary>
    public bool IsLoaded => _replay is not null;

    /// <summary>Opens the replica's folder, and creates it if it is missing. Throws <see cref="StartupException"/> if another process has
    /// it open.</summary>
    public void OpenFolder() => _folder = _loader.OpenFolder();

    /// <summary>
    /// Loads the log if it is not loaded; otherwise waits for the next epochs and serves them. Returns the reason if no epochs can be
    /// followed now; otherwise null.
    /// </summary>
    public async Task<Hold?> StepAsync(CancellationToken cancellationToken)
    {
        Hold? hold;
        try
        {
            _store ??= await _storage.OpenFollowAsync(cancellationToken);
            await DiscardDamagedAsync(_store, cancellationToken);
            hold = _replay is null ? await LoadAsync(_store, cancellationToken) : await FollowAsync(_store, _replay, cancellationToken);
        }
        catch (StorageCorruptException e)
        {
            hold = new Hold(HoldCause.Refused, "The database contradicts itself.", e);
        }
        catch (StorageUnavailableException e)
        {
            hold = new Hold(HoldCause.Database, "The database cannot be reached.", e);
        }
        catch (SignerUnavailableException e)
        {
            hold = new Hold(HoldCause.Key, e.Message, e);
        }
        catch (BoardUnreadableException e)
        {
            hold = new Hold(HoldCause.Disk, e.Message, e);
        }
        // If one of these errors occurs before the service has served an epoch, the error ends the service. After the service has served an
        // epoch, such an error does not end it, because the operator may be replacing the key or the trust anchor at this moment.
        catch (Exception e) when (_current.Peek() is not null && e is (SecretsException or TrustAnchorException or StartupException))
        {
            hold = new Hold(HoldCause.Key, "A key, or the log's trust anchor, cannot be used.", e);
        }
        // The replica continues to serve its epoch, as it does when the database is unavailable.
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or OptiksNativeException { Status: NativeStatus.Io })
        {
            if (e is OptiksNativeException { IsDamage: true } && _replay is { } damaged)
            {
                _ = _damage.Report(_damage.Generation, damaged.Trees.Period);
            }
            hold = new Hold(HoldCause.Disk, "The replica's folder cannot be read or written.", e);
        }
        if (hold is { Cause: HoldCause.Refused })
        {
            _metrics.Refused();
        }
        return hold;
    }

    /// <summary>Saves the trees in linked mode, unless the token is cancelled, and releases the served epoch. The follower calls it
    /// last.</summary>
    public async Task EndAsync(CancellationToken cancellationToken)
    {
        try
        {
            if (_saver is not null)
            {
                // In stored mode, the next start needs no snapshot, because the node store has the epoch.
                await _saver.FinishAsync(_replay is { Trees.IsStored: true } ? null : _current.Peek()?.View, cancellationToken);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The host no longer waits for this service to end, so the service stops before the trees are saved completely.
        }
        finally
        {
            _current.End();
            _metrics.Directory = null;
            await EndPeriodsAsync(cancellationToken);
            _replay?.Dispose();
            _folder?.Dispose();
            if (_store is not null)
            {
                await _store.DisposeAsync();
            }
        }
    }

    private async Task EndPeriodsAsync(CancellationToken cancellationToken)
    {
        try
        {
            await _ended.EndAsync(cancellationToken);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The host no longer waits for this service to end, so trees that are being made stay open until the process ends.
        }
    }

    private async Task<Hold?> LoadAsync(IFollowStore store, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        (LogReplay? replay, Hold? hold) = await _loader.TryLoadAsync(store, _folder!, End, cancellationToken);
        if (replay is null)
        {
            return hold;
        }
        _replay = replay;
        _saver = null;
        ulong leaves = replay.Trees.Directory.Stats.Leaves;
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        _logger.Loaded(replay.Last.Epoch, leaves, seconds);
        Refused? refused = await ServeAsync(store, replay, published: replay.Last.Epoch, cancellationToken);
        if (refused is null)
        {
            _damage.Replace(replay.Trees.Period);
        }
        return Hold.Alarm(refused);
    }

    // Discards damaged trees, so that they are made again. Readers may still use the damaged trees until the new trees are served.
    private async Task DiscardDamagedAsync(IFollowStore store, CancellationToken cancellationToken)
    {
        foreach (ulong period in _damage.Waiting())
        {
            if (_replay is not { } replay)
            {
                // The log is not loaded, and the next load will replace the damaged trees.
                return;
            }
            if (period != replay.Trees.Period)
            {
                await _ended.DiscardAsync(_folder!, period, cancellationToken);
                if (await ServeAsync(store, replay, published: replay.Last.Epoch, cancellationToken) is null)
                {
                    _damage.Replace(period);
                }
                continue;
            }
            await (_saver?.FinishAsync(null, cancellationToken) ?? Task.CompletedTask);
            _saver = null;
            _metrics.Directory = null;
            _replay = null;
            replay.Dispose();
            _folder!.Discard(period);
        }
    }

    // Does a piece of the work on the next period's trees, and returns how long the caller may then wait for a new epoch. After each piece,
    // the work pauses for as long as the piece took, because lookups, the database and other programs need the processors too. A failure
    // here has no effect before the next period begins.
    private async Task<TimeSpan> PrepareNextAsync(LogReplay replay, CancellationToken cancellationToken)
    {
        if (_prepared is long prepared && _clock.GetElapsedTime(prepared) is { } rested && rested < _rest)
        {
            return _rest - rested;
        }
        long start = _clock.GetTimestamp();
        (ulong? names, int copies) = (replay.Next?.Epoch, replay.NextCopies);
        string? why = null;
        Exception? failure = null;
        try
        {
            why = (await replay.PrepareNextAsync(RowsPerStep, cancellationToken))?.Why;
        }
        catch (Exception e) when (e is SecretsException or SignerUnavailableException or IOException or UnauthorizedAccessException
            or OptiksNativeException { Status: NativeStatus.Io })
        {
            why = e.Message;
            failure = e;
        }
        if (why is not null && why != _unprepared)
        {
            _logger.NextPeriodRefused(why, failure);
        }
        _unprepared = why;
        _prepared = _clock.GetTimestamp();
        _rest = _clock.GetElapsedTime(start, _prepared.Value);
        return why is not null || (replay.Next?.Epoch, replay.NextCopies) == (names, copies) ? s_wait : _rest;
    }

    private async Task<Hold?> FollowAsync(IFollowStore store, LogReplay replay, CancellationToken cancellationToken)
    {
        ulong served = replay.Last.Epoch;
        // The replica serves its last epoch again in two cases: serving it failed when the replica followed it, or the trees of further
        // ended periods have been made, which are served together with the epoch.
        if ((_current.Peek()?.Epoch != served || _ended.HasNews)
            && await ServeAsync(store, replay, published: served, cancellationToken) is { } unserved)
        {
            return Hold.Alarm(unserved);
        }
        await _ended.TidyAsync(store, _folder!, replay.Trees.Period, cancellationToken);
        TimeSpan wait = await PrepareNextAsync(replay, cancellationToken);
        HeadRow head = await store.WaitForPublishedAsync(served, wait, cancellationToken);
        if (_folder!.CheckHead(head) is { } behind)
        {
            return Hold.Alarm(behind);
        }
        _metrics.Published(head.PublishedEpoch ?? served);
        if (head.PublishedEpoch is not ulong published || published <= served)
        {
            return null;
        }
        ulong? reach = await _reach.FindAsync(published, _folder.Highest?.Epoch, cancellationToken);
        if (_folder.CheckBoard(reach) is { } older)
        {
            return Hold.Alarm(older);
        }
        if (reach is not ulong last || last <= served)
        {
            await Task.Delay(s_boardPause, _clock, cancellationToken);
            return null;
        }
        return Hold.Alarm(await FollowAsync(store, replay, last, cancellationToken));
    }

    private async Task<Refused?> FollowAsync(IFollowStore store, LogReplay replay, ulong published, CancellationToken cancellationToken)
    {
        ulong served = replay.Last.Epoch;
        using Activity? span = _metrics.StartFollow(served, published);
        long start = Stopwatch.GetTimestamp();
        bool isFollowed = false;
        Refused? refused = null;
        try
        {
            refused = await replay.FollowAsync(Math.Min(published, served + EpochsPerStep), beforeCommit: null, cancellationToken);
            isFollowed = refused is null;
        }
        finally
        {
            if (!isFollowed)
            {
                span?.SetStatus(ActivityStatusCode.Error);
            }
            if (replay.Last.Epoch != served)
            {
                refused = await ServeAsync(store, replay, published, cancellationToken) ?? refused;
                _metrics.Followed(Stopwatch.GetElapsedTime(start));
            }
        }
        return refused;
    }

    // Serves the last followed epoch, so that the service makes answers from it. Before that, records the epoch durably, so that the
    // service never serves an earlier epoch after a restart.
    private async Task<Refused?> ServeAsync(IFollowStore store, LogReplay replay, ulong published, CancellationToken cancellationToken)
    {
        VerifiedEpoch epoch = replay.Last;
        if (_reach.Check(epoch) is { } forked)
        {
            return forked;
        }
        if (await _ended.PrepareAsync(store, epoch.Epoch, cancellationToken) is { } refused)
        {
            return refused;
        }
        _folder!.Remember(epoch.Epoch, epoch.Row.RecordHash);
        LogTrees trees = replay.Trees;
        DirectoryView view = trees.Directory.TakeView();
        await _current.ServeAsync(
            view, epoch, _ended.TakeServed(trees.Period), isBehind: Math.Max(published, _reach.Awaited ?? 0) > epoch.Epoch);
        if (_saver is null || _savedPeriod != trees.Period)
        {
            UseTrees(replay, trees);
        }
        // The first snapshot of the new period's trees waits until the node store of the old trees is made, because the node store frees
        // memory.
        if (!_ended.IsMaking)
        {
            _saver!.Offer(view);
        }
        _logger.Serving(epoch.Epoch);
        return null;
    }

    // Gives the trees of a period that has ended to the list of ended periods. If a snapshot of these trees is being saved, the save
    // continues.
    private void End(LogTrees trees, VerifiedEpoch last) =>
        _ended.Keep(trees, last, _saver?.FinishAsync(null, CancellationToken.None) ?? Task.CompletedTask);

    // Begins to use the given trees, after a load or after a switch to another period.
    private void UseTrees(LogReplay replay, LogTrees trees)
    {
        _saver = _loader.CreateSaver(replay, replay.RestoredPeriod == trees.Period ? replay.RestoredEpoch : null, _clock);
        _savedPeriod = trees.Period;
        _metrics.Directory = () => trees.Directory.Stats;
    }
}
