using Microsoft.Extensions.Options;
using Optiks.Native;
using Optiks.Pkcs11;
using Optiks.Protocol;
using Optiks.QueryService.Options;
using Optiks.QueryService.Snapshots;
using Optiks.Secrets;
using Optiks.ServiceDefaults;
using Optiks.Storage;

namespace Optiks.QueryService.Following;

/// <summary>
/// Loads the trees when the service starts: from the replica's own snapshot if possible, otherwise from another replica's snapshot,
/// otherwise from the database only. Not thread-safe, except for <see cref="LoadEndedAsync"/>.
/// </summary>
internal sealed class ReplicaLoader
{
    private readonly DataFolder _data;
    private readonly ReplicaFiles _files;
    private readonly SnapshotPeers _peers;
    private readonly BoardReach _reach;
    private readonly QueryServiceOptions _options;
    private readonly KekOptions _kek;
    private readonly FollowerState _state;
    private readonly DamagedFiles _damage;
    private readonly ILogger<ReplicaLoader> _logger;

    public ReplicaLoader(DataFolder data, ReplicaFiles files, SnapshotPeers peers, BoardReach reach, IOptions<QueryServiceOptions> options,
        IOptions<KekOptions> kek, FollowerState state, DamagedFiles damage, ILogger<ReplicaLoader> logger)
    {
        _damage = damage;
        _data = data;
        _files = files;
        _peers = peers;
        _reach = reach;
        _options = options.Value;
        _kek = kek.Value;
        _state = state;
        _logger = logger;
    }

    /// <summary>Opens the replica's folder, and creates it if it is missing. Throws <see cref="StartupException"/> if another process has
    /// it open.</summary>
    public ReplicaFolder OpenFolder() => ReplicaFolder.Open(_files);

    /// <summary>
    /// Creates the saver of snapshots for the trees that a replica has now. In stored mode, the snapshots are for other replicas, and for a
    /// change to linked mode.
    /// </summary>
    /// <param name="replica">The replay that has the trees.</param>
    /// <param name="saved">The epoch of the files from which these trees were loaded; null if they were loaded from the database.</param>
    /// <param name="clock">The clock that measures the interval between snapshots.</param>
    public SnapshotSaver CreateSaver(LogReplay replica, ulong? saved, TimeProvider clock)
    {
        (ulong period, long generation) = (replica.Trees.Period, _damage.Generation);
        void ReportDamage(OptiksNativeException e)
        {
            if (e.IsDamage)
            {
                _ = _damage.Report(generation, period);
            }
        }
        string snapshot = _files.ForPeriod(period).Snapshot;
        // Trees that were loaded from a node store need not have a snapshot.
        return new SnapshotSaver(snapshot, _options.SnapshotInterval, File.Exists(snapshot) ? saved : null, clock, _logger, ReportDamage);
    }

    /// <summary>
    /// Loads the log up to the newest epoch that may be served, and returns its replay, which the caller must dispose of. If the log cannot
    /// be loaded yet, returns the reason instead.
    /// </summary>
    /// <param name="store">The database.</param>
    /// <param name="folder">The replica's folder.</param>
    /// <param name="ended">The action to which the replay passes the trees of each period that ends from now on.</param>
    /// <param name="cancellationToken">Cancels the load.</param>
    public async Task<(LogReplay? Replica, Hold? Hold)> TryLoadAsync(
        IFollowStore store, ReplicaFolder folder, Action<LogTrees, VerifiedEpoch> ended, CancellationToken cancellationToken)
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
            if (head.PublishedEpoch is not ulong inDatabase || periods.Count == 0)
            {
                return (null, Hold.Waiting("Waiting for the log's first epoch."));
            }
            var anchor = TrustAnchor.Load(_data.TrustAnchor);
            ulong? reach = await _reach.FindAsync(inDatabase, folder.Highest?.Epoch, cancellationToken);
            if (folder.CheckBoard(reach) is { } older)
            {
                return (null, Hold.Alarm(older));
            }
            if (reach is not ulong published)
            {
                return (null, Hold.Waiting("Waiting for the board's first checkpoint."));
            }
            PeriodRow period = PeriodRows.At(periods, published);
            if (!period.Configuration.Span.SequenceEqual(anchor.ConfigurationOctets.Span))
            {
                throw new StartupException(
                    $"{_data.TrustAnchor} belongs to another log than the database: put the right trust anchor in its place.");
            }
            _state.Anchor = anchor;
            var trees = new ReplicaTrees(LoadKeys, folder, anchor, _options.NodeCacheBytes, _options.VrfCacheBytes);
            LogReplay Replay(LogTrees begin) => new(store, anchor, begin, LogRoots.Checked)
            {
                Served = folder.Highest,
                NextTrees = trees.Create,
                Ended = ended,
            };

            (LogReplay? replica, Refused? refused) = await RestoreAsync(Restore(trees, period), Replay, published, cancellationToken);
            if (replica is not null)
            {
                if (replica.RestoredEpoch is ulong epoch)
                {
                    _logger.SnapshotUsed(epoch);
                }
                return (replica, null);
            }
            if (refused is { IsSnapshot: false })
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
                if (await trees.TryFetchAsync(_peers, period, cancellationToken))
                {
                    // Fetching a snapshot takes minutes, so the loop reads the log's state again before it uses the fetched snapshot.
                    continue;
                }
            }
            LogReplay loaded = Replay(trees.Create(period));
            refused = await loaded.LoadAsync(published, cancellationToken);
            return refused is null ? (loaded, null) : (null, Hold.Alarm(refused));
        }
    }

    /// <summary>
    /// Returns an ended period at its last epoch, always in stored mode. Loads the period's trees from their files if possible, and
    /// otherwise from the database. If the period is refused, returns the reason. Throws the exceptions of the database, the folder and the
    /// secrets. Thread-safe, but only one call at a time per period is allowed.
    /// </summary>
    /// <param name="store">The database.</param>
    /// <param name="folder">The replica's folder.</param>
    /// <param name="period">The row of the ended period.</param>
    /// <param name="last">The period's last epoch.</param>
    /// <param name="held">
    /// The period's trees in memory, with which the loaded trees share a leaf log from now on; null if they are not in memory.
    /// </param>
    /// <param name="cancellationToken">Cancels the load.</param>
    public async Task<(EndedPeriod? Ended, Refused? Refused)> LoadEndedAsync(
        IFollowStore store, ReplicaFolder folder, PeriodRow period, ulong last, EndedPeriod? held, CancellationToken cancellationToken)
    {
        TrustAnchor anchor = _state.Anchor!;
        var trees = new ReplicaTrees(LoadKeys, folder, anchor, EndedPeriod.NodeCacheBytes, vrfCacheBytes: 0);
        LogReplay Replay(LogTrees begin) => new(store, anchor, begin, LogRoots.None);

        if (held is not null)
        {
            await BackgroundThread.RunAsync(() => folder.Replace(period.Period, held.View));
        }
        (LogReplay? replica, Refused? refused) =
            await RestoreAsync(await BackgroundThread.RunAsync(() => Restore(trees, period)), Replay, last, cancellationToken);
        if (replica is null)
        {
            // Readers still use the period's trees in memory, which have the leaf log open. So the new trees must not create another leaf
            // log in its place.
            if (refused is { IsSnapshot: false } || held is not null)
            {
                return (null, refused ?? new Refused($"Period {period.Period} has no saved trees."));
            }
            if (refused is not null)
            {
                _logger.SnapshotRefused(refused.Why);
            }
            replica = Replay(trees.Create(period));
            refused = await replica.LoadAsync(last, cancellationToken);
            if (refused is not null)
            {
                return (null, refused);
            }
        }
        folder.DeleteSnapshot(period.Period);
        return (new EndedPeriod(replica.Trees, replica.Last), null);
    }

    // Loads the keys for each use, because the operator may have rotated them.
    private KeyRing LoadKeys() => KeyRings.Load(_data, _kek.File);

    private static (LogTrees? Trees, Refused? Refused) Restore(ReplicaTrees trees, PeriodRow period) =>
        (trees.TryRestore(period, out Refused? refused), refused);

    // Returns a replay with the trees in the period's files. If the files have no trees, returns null without a refusal. If the trees do
    // not match the epoch, returns null with the refusal.
    private static async Task<(LogReplay? Replica, Refused? Refused)> RestoreAsync(
        (LogTrees? Trees, Refused? Refused) restored, Func<LogTrees, LogReplay> replay, ulong target, CancellationToken cancellationToken)
    {
        if (restored.Trees is null)
        {
            return (null, restored.Refused);
        }
        LogReplay replica = replay(restored.Trees);
        Refused? refused = await replica.LoadAsync(target, cancellationToken);
        return refused is null ? (replica, null) : (null, refused);
    }
}
