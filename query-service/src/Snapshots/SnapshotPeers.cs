using System.Diagnostics;
using Microsoft.Extensions.Options;
using Optiks.ApiKeys;
using Optiks.Native;
using Optiks.QueryService.Following;
using Optiks.QueryService.Options;
using Optiks.QueryService.Telemetry;

namespace Optiks.QueryService.Snapshots;

/// <summary>
/// Fetches a snapshot from other replicas (peers) when this replica starts. A process tries each peer only once, whatever the result is. So
/// the start takes a bounded time before it falls back to the database. Not thread-safe.
/// </summary>
internal sealed class SnapshotPeers : IDisposable
{
    // The time during which this class asks busy peers again. It is several minutes, because loading from the database takes minutes too.
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(5);

    private readonly List<Uri> _peers;
    private readonly SnapshotDownload? _download;
    private readonly TimeProvider _clock;
    private readonly ILogger<SnapshotPeers> _logger;

    /// <summary>
    /// Reads the list of peers from the options. Throws <see cref="Secrets.SecretsException"/> if the file with the API key cannot be used.
    /// </summary>
    public SnapshotPeers(IOptions<QueryServiceOptions> options, TimeProvider clock, ILogger<SnapshotPeers> logger)
    {
        QueryServiceOptions settings = options.Value;
        _peers = [.. settings.SnapshotPeers.Select(peer => new Uri(peer))];
        _download = _peers.Count == 0
            ? null
            : new SnapshotDownload(ApiKey.ReadFile(settings.SnapshotPeerKeyFile), settings.SnapshotPeerMaxBytes, clock, logger);
        _clock = clock;
        _logger = logger;
    }

    /// <summary>Whether there is a peer that this process has not tried yet.</summary>
    public bool AreAny => _peers.Count > 0;

    /// <summary>
    /// Fetches and adopts a peer's snapshot or, in stored mode, the node store made from that snapshot. Returns false if no peer sends a
    /// complete snapshot. After a success, the ordinary start compares the roots with the signed record. If a peer is in another period,
    /// its snapshot does not fit the secrets in the options, so it is refused like damaged files.
    /// </summary>
    public async Task<bool> TryFetchAsync(DirectoryOptions options, TreeFiles files, CancellationToken cancellationToken)
    {
        long start = _clock.GetTimestamp();
        while (true)
        {
            TimeSpan? wait = null;
            foreach (Uri peer in _peers.ToArray())
            {
                try
                {
                    await FetchAsync(peer, options, files, cancellationToken);
                    _peers.Remove(peer);
                    return true;
                }
                catch (PeerBusyException e)
                {
                    _logger.PeerBusy(peer);
                    wait = wait < e.RetryAfter ? wait : e.RetryAfter;
                }
                catch (SnapshotRefusedException e)
                {
                    _logger.PeerFailed(peer, e.Message);
                    _peers.Remove(peer);
                }
            }
            if (wait is null || _clock.GetElapsedTime(start) + wait > s_patience)
            {
                _peers.Clear();
                return false;
            }
            await Task.Delay(wait.Value, _clock, cancellationToken);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _download?.Dispose();

    private async Task FetchAsync(Uri peer, DirectoryOptions options, TreeFiles files, CancellationToken cancellationToken)
    {
        try
        {
            long start = Stopwatch.GetTimestamp();
            await _download!.FetchAsync(peer, files.FetchedSnapshot, files.FetchedLeafLog, cancellationToken);
            double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
            start = Stopwatch.GetTimestamp();
            Check(
                options with
                {
                    LeafLogPath = files.FetchedLeafLog,
                    NodeStorePath = options.NodeStorePath is null ? null : files.FetchedNodeStore,
                }, files.FetchedSnapshot);
            double checkSeconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
            ReplicaFolder.AdoptFetched(files);
            _logger.SnapshotFetched(peer, seconds, checkSeconds);
        }
        finally
        {
            ReplicaFolder.DropFetched(files);
        }
    }

    // Verifies the fetched files completely, because they come from the network. A start from files that this replica wrote itself only
    // verifies checksums while it reads. In stored mode, this method also makes the node store.
    private static void Check(DirectoryOptions options, string snapshot)
    {
        try
        {
            using var directory = KeyDirectory.Restore(options with { VrfCacheBytes = 0 }, snapshot);
            if (options.NodeStorePath is null)
            {
                directory.Check();
            }
        }
        catch (OptiksNativeException e) when (e.Status is NativeStatus.Data or NativeStatus.Io)
        {
            throw new SnapshotRefusedException(e.Message, e);
        }
    }
}
