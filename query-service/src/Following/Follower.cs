using System.Diagnostics;
using System.Globalization;
using Microsoft.Extensions.Options;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Options;
using Optiks.QueryService.Snapshots;
using Optiks.QueryService.Telemetry;
using Optiks.Secrets;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Storage.Hosting;
using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>
/// Follower keeps <see cref="CurrentEpoch"/> at the newest published epoch that it verified itself. Whatever goes wrong, the last good epoch stays: an epoch that is refused, or a
/// database behind what was served, is an alarm and tried again, as the operator may put the right database back.
/// </summary>
internal sealed class Follower : BackgroundService
{
    private static readonly TimeSpan s_wait = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_retry = TimeSpan.FromMilliseconds(500);

    // A load reads everything.
    private static readonly TimeSpan s_retryLoad = TimeSpan.FromSeconds(3);

    private readonly StorageSource _storage;
    private readonly DataFolder _data;
    private readonly ReplicaFiles _files;
    private readonly SnapshotPeers _peers;
    private readonly QueryServiceOptions _options;
    private readonly CurrentEpoch _current;
    private readonly FollowerState _state;
    private readonly QueryMetrics _metrics;
    private readonly ITileReader _board;
    private readonly TimeProvider _clock;
    private readonly ILogger<Follower> _logger;
    private readonly HostFailure _failure;
    private ReplicaFolder? _folder;
    private LogReplica? _replica;
    private SnapshotSaver? _saver;

    public Follower(
        StorageSource storage, DataFolder data, ReplicaFiles files, SnapshotPeers peers, IOptions<QueryServiceOptions> options, CurrentEpoch current, FollowerState state, QueryMetrics metrics,
        ITileReader board, TimeProvider clock, ILogger<Follower> logger, HostFailure failure)
    {
        _storage = storage;
        _data = data;
        _files = files;
        _peers = peers;
        _options = options.Value;
        _current = current;
        _state = state;
        _metrics = metrics;
        _board = board;
        _clock = clock;
        _logger = logger;
        _failure = failure;
    }

    private bool IsStored => _options.NodeCacheBytes > 0;

    /// <inheritdoc/>
    public override Task StartAsync(CancellationToken cancellationToken)
    {
        _folder = ReplicaFolder.Open(_files);
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
                await _saver.FinishAsync(_current.Peek()?.Snapshot, cancellationToken);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The host waits no longer.
        }
        finally
        {
            _current.Replace(null);
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
                    string? waiting = await StepAsync(store, cancellationToken);
                    if (waiting is null)
                    {
                        Report(null);
                        continue;
                    }
                    if (Report(waiting))
                    {
                        _logger.Waiting(waiting);
                    }
                }
                catch (EpochRefusedException e)
                {
                    _metrics.Refused();
                    if (Report(e.Message))
                    {
                        _logger.EpochRefused(e.Message, e);
                    }
                }
                catch (StorageCorruptException e)
                {
                    _metrics.Refused();
                    if (Report("The database contradicts itself."))
                    {
                        _logger.EpochRefused("The database contradicts itself.", e);
                    }
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

    /// <summary>StepAsync waits for the next epochs and serves them. Gives what the log waits for before there is one to follow, otherwise null.</summary>
    private async Task<string?> StepAsync(IFollowStore store, CancellationToken cancellationToken)
    {
        if (_replica is null)
        {
            return await LoadAsync(store, cancellationToken);
        }
        ulong served = _replica.Last.Row.Epoch;
        if (_current.Peek()?.Epoch != served)
        {
            // It could not be remembered when it was followed.
            Serve(_replica);
        }
        Head head = await store.WaitForPublishedAsync(served, s_wait, cancellationToken);
        ThrowIfBehind(head, new HighWaterMark(served, _replica.Last.Row.RecordHash));
        _metrics.Published(head.PublishedEpoch ?? served);
        if (head.PublishedEpoch > served)
        {
            using Activity? span = _metrics.StartFollow(served, head.PublishedEpoch.Value);
            long start = Stopwatch.GetTimestamp();
            try
            {
                await _replica.FollowAsync(head.PublishedEpoch.Value, cancellationToken);
            }
            catch
            {
                span?.SetStatus(ActivityStatusCode.Error);
                throw;
            }
            finally
            {
                if (_replica.Last.Row.Epoch != served)
                {
                    Serve(_replica);
                    _metrics.Followed(Stopwatch.GetElapsedTime(start));
                }
            }
        }
        return null;
    }

    private async Task<string?> LoadAsync(IFollowStore store, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        while (_replica is null)
        {
            if (await TryLoadAsync(store, cancellationToken) is { } waiting)
            {
                return waiting;
            }
        }
        LogReplica replica = _replica;
        // A node store needs no other snapshot.
        _saver = new SnapshotSaver(_files.Snapshot, IsStored ? TimeSpan.Zero : _options.SnapshotInterval, replica.RestoredEpoch, _clock, _logger);
        _metrics.Directory = () => replica.Stats;
        ulong leaves = replica.Stats.Leaves;
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        _logger.Loaded(replica.Last.Row.Epoch, leaves, seconds);
        Serve(replica);
        return null;
    }

    /// <summary>
    /// TryLoadAsync makes the replica, from its own snapshot if it can, or from the database. Gives what the log waits for, otherwise null; null without a replica when another one's
    /// snapshot was fetched: that takes minutes, so the log is looked at again before it is used.
    /// </summary>
    private async Task<string?> TryLoadAsync(IFollowStore store, CancellationToken cancellationToken)
    {
        if (!File.Exists(_data.TrustAnchor))
        {
            return "Waiting for the log's trust anchor.";
        }
        Head head = await store.ReadHeadAsync(cancellationToken);
        ThrowIfBehind(head, _folder!.Highest);
        IReadOnlyList<PeriodRow> periods = await store.ReadPeriodsAsync(cancellationToken);
        if (head.PublishedEpoch is not ulong published || periods.Count == 0)
        {
            return "Waiting for the log's first epoch.";
        }
        var anchor = TrustAnchor.Load(_data.TrustAnchor);
        PeriodRow period = periods.Last(row => row.FirstEpoch <= published);
        if (!period.Configuration.Span.SequenceEqual(anchor.ConfigurationOctets.Span))
        {
            throw new StartupException($"{_data.TrustAnchor} is of another log than the database: put the right one in its place.");
        }
        _state.Anchor = anchor;
        using var secretSource = new FileSecretSource(_data, KeyEncryptionKey.Load(_data));
        using DirectorySecrets secrets = secretSource.UnwrapPeriod(period.WrappedSecrets.Span, period.Period, anchor.LogId.Span);
        var options = new DirectoryOptions
        {
            Secrets = secrets,
            LeafLogPath = _files.LeafLog,
            NodeStorePath = IsStored ? _files.NodeStore : null,
            NodeCacheBytes = (ulong)_options.NodeCacheBytes,
            VrfCacheBytes = (ulong)_options.VrfCacheBytes,
            Period = period.Period,
            PeriodFirstEpoch = period.FirstEpoch,
            MaxValueLength = anchor.Configuration.MaxValueLength,
            Threads = DirectoryOptions.AllProcessors,
        };
        _replica = await LogReplica.TryRestoreAsync(store, anchor, options, _files.Snapshot, published, _folder.Highest, _logger, cancellationToken);
        if (_replica is null && _peers.AreAny)
        {
            Report("Fetching another replica's snapshot.");
            if (await _peers.TryFetchAsync(options, _files, _folder, cancellationToken))
            {
                return null;
            }
        }
        _replica ??= await LogReplica.LoadAsync(store, anchor, options, _files.Snapshot, published, _folder.Highest, _logger, cancellationToken);
        return null;
    }

    /// <summary>Serve makes the replica's last epoch the one that answers are made from: durably remembered first, so that no restart goes below it.</summary>
    private void Serve(LogReplica replica)
    {
        VerifiedEpoch epoch = replica.Last;
        _folder!.Remember(epoch.Row.Epoch, epoch.Row.RecordHash);
        ServedEpoch served = replica.Serve(_board);
        _current.Replace(served);
        _saver!.Offer(served.Snapshot);
        _logger.Serving(epoch.Row.Epoch);
    }

    private static bool IsFailureOfDisk(Exception e) => e is IOException or UnauthorizedAccessException or OptiksNativeException { Status: NativeStatus.Io };

    private static void ThrowIfBehind(Head head, HighWaterMark? served)
    {
        if (served is null)
        {
            return;
        }
        if (head.PublishedEpoch is not ulong published || published < served.Epoch)
        {
            string newest = head.PublishedEpoch?.ToString(CultureInfo.InvariantCulture) ?? "none";
            throw new EpochRefusedException(
                $"The database is behind: this replica has served epoch {served.Epoch}, the database's newest is {newest}. An older copy was put in its place.");
        }
        if (head.Epoch == served.Epoch && !served.Names(served.Epoch, head.RecordHash.Span))
        {
            throw new EpochRefusedException($"The database has another record for epoch {served.Epoch} than this replica served: the log forked.");
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
