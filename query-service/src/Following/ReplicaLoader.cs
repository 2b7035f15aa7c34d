using Microsoft.Extensions.Options;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Options;
using Optiks.QueryService.Snapshots;
using Optiks.Secrets;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Storage.Replay;

namespace Optiks.QueryService.Following;

/// <summary>
/// ReplicaLoader makes the trees that a start begins with: from the replica's own snapshot if it can, else from another replica's, else from the database alone. One thread at a time.
/// </summary>
internal sealed class ReplicaLoader
{
    private readonly DataFolder _data;
    private readonly ReplicaFiles _files;
    private readonly SnapshotPeers _peers;
    private readonly QueryServiceOptions _options;
    private readonly FollowerState _state;
    private readonly ILogger<ReplicaLoader> _logger;

    public ReplicaLoader(DataFolder data, ReplicaFiles files, SnapshotPeers peers, IOptions<QueryServiceOptions> options, FollowerState state, ILogger<ReplicaLoader> logger)
    {
        _data = data;
        _files = files;
        _peers = peers;
        _options = options.Value;
        _state = state;
        _logger = logger;
    }

    private bool IsStored => _options.NodeCacheBytes > 0;

    /// <summary>OpenFolder takes the replica's folder: <see cref="ReplicaFolder.Open"/>.</summary>
    public ReplicaFolder OpenFolder() => ReplicaFolder.Open(_files);

    /// <summary>SaverOf a replica that was loaded. A node store needs no other snapshot.</summary>
    public SnapshotSaver SaverOf(LogReplay replica, TimeProvider clock) =>
        new(_files.Snapshot, IsStored ? TimeSpan.Zero : _options.SnapshotInterval, replica.RestoredEpoch, clock, _logger);

    /// <summary>TryLoadAsync gives the replica at the newest published epoch, which the caller disposes, or why there is none yet.</summary>
    public async Task<(LogReplay? Replica, Hold? Hold)> TryLoadAsync(IFollowStore store, ReplicaFolder folder, CancellationToken cancellationToken)
    {
        while (true)
        {
            if (!File.Exists(_data.TrustAnchor))
            {
                return (null, Hold.Waiting("Waiting for the log's trust anchor."));
            }
            HeadRow head = await store.ReadHeadAsync(cancellationToken);
            if (folder.CheckHead(head) is { } behind)
            {
                return (null, Hold.Alarm(behind));
            }
            IReadOnlyList<PeriodRow> periods = await store.ReadPeriodsAsync(cancellationToken);
            if (head.PublishedEpoch is not ulong published || periods.Count == 0)
            {
                return (null, Hold.Waiting("Waiting for the log's first epoch."));
            }
            var anchor = TrustAnchor.Load(_data.TrustAnchor);
            PeriodRow period = PeriodRows.At(periods, published);
            if (!period.Configuration.Span.SequenceEqual(anchor.ConfigurationOctets.Span))
            {
                throw new StartupException($"{_data.TrustAnchor} is of another log than the database: put the right one in its place.");
            }
            _state.Anchor = anchor;
            using var secretSource = new FileSecretSource(_data, KeyEncryptionKey.Load(_data));
            using DirectorySecrets secrets = secretSource.UnwrapPeriod(period.WrappedSecrets.Span, period.Period, anchor.LogId.Span);
            DirectoryOptions options = OptionsOf(anchor, period, secrets);
            LogReplay Replay(LogTrees trees) => new(store, anchor, trees, LogRoots.Checked) { Served = folder.Highest };

            if (LogTrees.TryRestore(options, _files.Snapshot, out Refused? refused) is { } restored)
            {
                LogReplay replica = Replay(restored);
                refused = await replica.LoadAsync(published, cancellationToken);
                if (refused is null)
                {
                    if (replica.RestoredEpoch is ulong epoch)
                    {
                        _logger.SnapshotUsed(epoch);
                    }
                    return (replica, null);
                }
            }
            if (refused is { OfSnapshot: false })
            {
                return (null, Hold.Alarm(refused));
            }
            if (refused is not null)
            {
                _logger.SnapshotRefused(refused.Why);
            }
            if (_peers.AreAny)
            {
                _state.Trouble = "Fetching another replica's snapshot.";
                if (await _peers.TryFetchAsync(options, folder, cancellationToken))
                {
                    // That takes minutes, so the log is looked at again before it is used.
                    continue;
                }
            }
            LogReplay loaded = Replay(LogTrees.Create(options, _files.Snapshot));
            refused = await loaded.LoadAsync(published, cancellationToken);
            return refused is null ? (loaded, null) : (null, Hold.Alarm(refused));
        }
    }

    private DirectoryOptions OptionsOf(TrustAnchor anchor, PeriodRow period, DirectorySecrets secrets) => new()
    {
        Secrets = secrets,
        LeafLogPath = _files.LeafLog,
        NodeStorePath = IsStored ? _files.NodeStore : null,
        NodeCacheBytes = (ulong)_options.NodeCacheBytes,
        VrfCacheBytes = (ulong)_options.VrfCacheBytes,
        Period = period.Period,
        PeriodFirstEpoch = period.FirstEpoch!.Value,
        MaxValueLength = anchor.Configuration.MaxValueLength,
        Threads = DirectoryOptions.AllProcessors,
    };
}
