using System.Diagnostics;
using Optiks.Native;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Storage.Hosting;
using Optiks.Storage.Replay;

namespace Optiks.QueryService.Following;

/// <summary>
/// Follower keeps <see cref="CurrentEpoch"/> at the newest published epoch that it verified itself. Whatever goes wrong, the last good epoch stays: an epoch that is refused, or a
/// database behind what was served, is an alarm and tried again, as the operator may put the right database back.
/// </summary>
internal sealed class Follower : BackgroundService
{
    // After so many the last of them is served before the next are followed.
    private const ulong EpochsPerStep = 256;

    private static readonly TimeSpan s_wait = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_retry = TimeSpan.FromMilliseconds(500);

    // A load reads everything.
    private static readonly TimeSpan s_retryLoad = TimeSpan.FromSeconds(3);

    private readonly StorageSource _storage;
    private readonly ReplicaLoader _loader;
    private readonly CurrentEpoch _current;
    private readonly FollowerState _state;
    private readonly QueryMetrics _metrics;
    private readonly TimeProvider _clock;
    private readonly ILogger<Follower> _logger;
    private readonly HostFailure _failure;
    private ReplicaFolder? _folder;
    private LogReplay? _replica;
    private SnapshotSaver? _saver;

    public Follower(
        StorageSource storage, ReplicaLoader loader, CurrentEpoch current, FollowerState state, QueryMetrics metrics, TimeProvider clock, ILogger<Follower> logger, HostFailure failure)
    {
        _storage = storage;
        _loader = loader;
        _current = current;
        _state = state;
        _metrics = metrics;
        _clock = clock;
        _logger = logger;
        _failure = failure;
    }

    /// <inheritdoc/>
    public override Task StartAsync(CancellationToken cancellationToken)
    {
        _folder = _loader.OpenFolder();
        return base.StartAsync(cancellationToken);
    }

    /// <inheritdoc/>
    public override async Task StopAsync(CancellationToken cancellationToken)
    {
        await base.StopAsync(cancellationToken);
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
            _replica?.Dispose();
            _replica = null;
            _folder?.Dispose();
        }
    }

    /// <inheritdoc/>
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        try
        {
            await RunAsync(stoppingToken);
        }
        catch (OperationCanceledException) when (stoppingToken.IsCancellationRequested)
        {
            // The host stops.
        }
        // Configuration that no waiting mends, and bugs: both end the process, with the exception as its result.
        catch (Exception e)
        {
            _logger.Stopped(e);
            _failure.Stop(e);
        }
    }

    private async Task RunAsync(CancellationToken cancellationToken)
    {
        IFollowStore? store = null;
        try
        {
            while (true)
            {
                try
                {
                    store ??= await _storage.OpenFollowAsync(cancellationToken);
                    Hold? hold = await StepAsync(store, cancellationToken);
                    if (hold is null)
                    {
                        Report(null);
                        continue;
                    }
                    if (hold.IsAlarm)
                    {
                        Alarm(hold.Why, null);
                    }
                    else if (Report(hold.Why))
                    {
                        _logger.Waiting(hold.Why);
                    }
                }
                catch (StorageCorruptException e)
                {
                    Alarm("The database contradicts itself.", e);
                }
                catch (StorageUnavailableException e)
                {
                    if (Report("The database cannot be reached."))
                    {
                        _logger.DatabaseUnavailable(e);
                    }
                }
                // A disk that is full or failing, or no descriptor left: what is served stays, as when the database is away.
                catch (Exception e) when (IsFailureOfDisk(e))
                {
                    if (Report("The replica's folder cannot be read or written."))
                    {
                        _logger.FolderUnavailable(e);
                    }
                }
                await Task.Delay(_replica is null && _state.Anchor is not null ? s_retryLoad : s_retry, _clock, cancellationToken);
            }
        }
        finally
        {
            if (store is not null)
            {
                await store.DisposeAsync();
            }
        }
    }

    /// <summary>StepAsync waits for the next epochs and serves them. Gives why there are none to be followed, otherwise null.</summary>
    private async Task<Hold?> StepAsync(IFollowStore store, CancellationToken cancellationToken)
    {
        if (_replica is null)
        {
            return await LoadAsync(store, cancellationToken);
        }
        ulong served = _replica.Last.Epoch;
        if (_current.Peek()?.Epoch != served)
        {
            // It could not be remembered when it was followed.
            Serve(_replica);
        }
        HeadRow head = await store.WaitForPublishedAsync(served, s_wait, cancellationToken);
        if (_folder!.CheckHead(head) is { } behind)
        {
            return Hold.Alarm(behind);
        }
        _metrics.Published(head.PublishedEpoch ?? served);
        return head.PublishedEpoch is ulong published && published > served ? Hold.Alarm(await FollowAsync(_replica, published, cancellationToken)) : null;
    }

    private async Task<Refused?> FollowAsync(LogReplay replica, ulong published, CancellationToken cancellationToken)
    {
        ulong served = replica.Last.Epoch;
        using Activity? span = _metrics.StartFollow(served, published);
        long start = Stopwatch.GetTimestamp();
        bool isFollowed = false;
        try
        {
            Refused? refused = await replica.FollowAsync(Math.Min(published, served + EpochsPerStep), beforeCommit: null, cancellationToken);
            isFollowed = refused is null;
            return refused;
        }
        finally
        {
            if (!isFollowed)
            {
                span?.SetStatus(ActivityStatusCode.Error);
            }
            if (replica.Last.Epoch != served)
            {
                Serve(replica);
                _metrics.Followed(Stopwatch.GetElapsedTime(start));
            }
        }
    }

    private async Task<Hold?> LoadAsync(IFollowStore store, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        (LogReplay? replica, Hold? hold) = await _loader.TryLoadAsync(store, _folder!, cancellationToken);
        if (replica is null)
        {
            return hold;
        }
        _replica = replica;
        _saver = _loader.SaverOf(replica, _clock);
        _metrics.Directory = () => replica.Trees.Directory.Stats;
        ulong leaves = replica.Trees.Directory.Stats.Leaves;
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        _logger.Loaded(replica.Last.Epoch, leaves, seconds);
        Serve(replica);
        return null;
    }

    /// <summary>Serve makes the replica's last epoch the one that answers are made from: durably remembered first, so that no restart goes below it.</summary>
    private void Serve(LogReplay replica)
    {
        VerifiedEpoch epoch = replica.Last;
        _folder!.Remember(epoch.Epoch, epoch.Row.RecordHash);
        DirectoryView view = replica.Trees.Directory.TakeView();
        _current.Serve(view, epoch);
        _saver!.Offer(view);
        _logger.Serving(epoch.Epoch);
    }

    private static bool IsFailureOfDisk(Exception e) => e is IOException or UnauthorizedAccessException or OptiksNativeException { Status: NativeStatus.Io };

    private void Alarm(string why, Exception? exception)
    {
        _metrics.Refused();
        if (Report(why))
        {
            _logger.EpochRefused(why, exception);
        }
    }

    /// <summary>Report makes the trouble known; true when it is news.</summary>
    private bool Report(string? trouble)
    {
        string? before = _state.Trouble;
        _state.Trouble = trouble;
        if (trouble is null && before is not null)
        {
            _logger.Following();
        }
        return trouble != before;
    }
}
