using System.Diagnostics;
using Optiks.Native;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Storage.Hosting;
using Optiks.Storage.Replay;

namespace Optiks.QueryService.Following;

/// <summary>
/// FollowedLog is the log as this replica has it: the database that it is read from, the folder, the trees, and the epoch that is served, which is <see cref="CurrentEpoch"/>. Whatever goes wrong, the last
/// good epoch stays. One thread at a time.
/// </summary>
internal sealed class FollowedLog
{
    // After so many the last of them is served before the next are followed.
    private const ulong EpochsPerStep = 256;

    private static readonly TimeSpan s_wait = TimeSpan.FromSeconds(2);

    private readonly StorageSource _storage;
    private readonly ReplicaLoader _loader;
    private readonly CurrentEpoch _current;
    private readonly QueryMetrics _metrics;
    private readonly TimeProvider _clock;
    private readonly ILogger<FollowedLog> _logger;
    private IFollowStore? _store;
    private ReplicaFolder? _folder;
    private LogReplay? _replay;
    private SnapshotSaver? _saver;

    public FollowedLog(StorageSource storage, ReplicaLoader loader, CurrentEpoch current, QueryMetrics metrics, TimeProvider clock, ILogger<FollowedLog> logger)
    {
        _storage = storage;
        _loader = loader;
        _current = current;
        _metrics = metrics;
        _clock = clock;
        _logger = logger;
    }

    /// <summary>IsLoaded says whether there are trees.</summary>
    public bool IsLoaded => _replay is not null;

    /// <summary>OpenFolder takes the replica's folder: <see cref="ReplicaFolder.Open"/>.</summary>
    public void OpenFolder() => _folder = _loader.OpenFolder();

    /// <summary>StepAsync loads the log, or waits for the next epochs and serves them. Gives why there are none to be followed, otherwise null.</summary>
    public async Task<Hold?> StepAsync(CancellationToken cancellationToken)
    {
        Hold? hold;
        try
        {
            _store ??= await _storage.OpenFollowAsync(cancellationToken);
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
        // What is served stays, as when the database is away.
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or OptiksNativeException { Status: NativeStatus.Io })
        {
            hold = new Hold(HoldCause.Disk, "The replica's folder cannot be read or written.", e);
        }
        if (hold is { Cause: HoldCause.Refused })
        {
            _metrics.Refused();
        }
        return hold;
    }

    /// <summary>EndAsync saves the trees, unless it is cancelled, and ends what is served. The last call.</summary>
    public async Task EndAsync(CancellationToken cancellationToken)
    {
        try
        {
            if (_saver is not null)
            {
                await _saver.FinishAsync(_current.Peek()?.View, cancellationToken);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The host waits no longer.
        }
        finally
        {
            _current.End();
            _metrics.Directory = null;
            _replay?.Dispose();
            _folder?.Dispose();
            if (_store is not null)
            {
                await _store.DisposeAsync();
            }
        }
    }

    private async Task<Hold?> LoadAsync(IFollowStore store, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        (LogReplay? replay, Hold? hold) = await _loader.TryLoadAsync(store, _folder!, cancellationToken);
        if (replay is null)
        {
            return hold;
        }
        _replay = replay;
        _saver = _loader.SaverOf(replay, _clock);
        _metrics.Directory = () => replay.Trees.Directory.Stats;
        ulong leaves = replay.Trees.Directory.Stats.Leaves;
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        _logger.Loaded(replay.Last.Epoch, leaves, seconds);
        Serve(replay, published: replay.Last.Epoch);
        return null;
    }

    private async Task<Hold?> FollowAsync(IFollowStore store, LogReplay replay, CancellationToken cancellationToken)
    {
        ulong served = replay.Last.Epoch;
        if (_current.Peek()?.Epoch != served)
        {
            // It could not be remembered when it was followed.
            Serve(replay, published: served);
        }
        HeadRow head = await store.WaitForPublishedAsync(served, s_wait, cancellationToken);
        if (_folder!.CheckHead(head) is { } behind)
        {
            return Hold.Alarm(behind);
        }
        _metrics.Published(head.PublishedEpoch ?? served);
        return head.PublishedEpoch is ulong published && published > served ? Hold.Alarm(await FollowAsync(replay, published, cancellationToken)) : null;
    }

    private async Task<Refused?> FollowAsync(LogReplay replay, ulong published, CancellationToken cancellationToken)
    {
        ulong served = replay.Last.Epoch;
        using Activity? span = _metrics.StartFollow(served, published);
        long start = Stopwatch.GetTimestamp();
        bool isFollowed = false;
        try
        {
            Refused? refused = await replay.FollowAsync(Math.Min(published, served + EpochsPerStep), beforeCommit: null, cancellationToken);
            isFollowed = refused is null;
            return refused;
        }
        finally
        {
            if (!isFollowed)
            {
                span?.SetStatus(ActivityStatusCode.Error);
            }
            if (replay.Last.Epoch != served)
            {
                Serve(replay, published);
                _metrics.Followed(Stopwatch.GetElapsedTime(start));
            }
        }
    }

    // Makes the last epoch the one that answers are made from: durably remembered first, so that no restart goes below it.
    private void Serve(LogReplay replay, ulong published)
    {
        VerifiedEpoch epoch = replay.Last;
        _folder!.Remember(epoch.Epoch, epoch.Row.RecordHash);
        DirectoryView view = replay.Trees.Directory.TakeView();
        _current.Serve(view, epoch, isBehind: published > epoch.Epoch);
        _saver!.Offer(view);
        _logger.Serving(epoch.Epoch);
    }
}
