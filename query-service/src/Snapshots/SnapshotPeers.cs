using System.Diagnostics;
using Microsoft.Extensions.Options;
using Optiks.ApiKeys;
using Optiks.Native;
using Optiks.QueryService.Following;
using Optiks.QueryService.Options;
using Optiks.QueryService.Telemetry;

namespace Optiks.QueryService.Snapshots;

/// <summary>
/// The other replicas that this one may take a snapshot from when it starts. Each is used once in a process: whatever comes of it, a start ends in bounded time, with the database
/// if need be. One thread at a time.
/// </summary>
internal sealed class SnapshotPeers : IDisposable
{
    // How long peers are asked again that serve others: loading from the database takes minutes, too.
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(5);

    private readonly List<Uri> _peers;
    private readonly SnapshotDownload? _download;
    private readonly TimeProvider _clock;
    private readonly ILogger<SnapshotPeers> _logger;

    /// <summary>SnapshotPeers of the options. Throws <see cref="Secrets.SecretsException"/> when the key's file cannot be used.</summary>
    public SnapshotPeers(IOptions<QueryServiceOptions> options, TimeProvider clock, ILogger<SnapshotPeers> logger)
    {
        QueryServiceOptions settings = options.Value;
        _peers = [.. settings.SnapshotPeers.Select(peer => new Uri(peer))];
        _download = _peers.Count == 0 ? null : new SnapshotDownload(ApiKey.ReadFile(settings.SnapshotPeerKeyFile), settings.SnapshotPeerMaxBytes, clock, logger);
        _clock = clock;
        _logger = logger;
    }

    /// <summary>Says whether there is a peer that was not used yet.</summary>
    public bool AreAny => _peers.Count > 0;

    /// <summary>
    /// Makes a peer's snapshot the replica's own, or in stored mode the node store that it makes of it; false when none of them gives one that is whole. The roots are for the ordinary
    /// start to compare with the signed record. A peer that is in another period has none of the options' secrets, and is refused as one whose files are damaged.
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
            Check(options with { LeafLogPath = files.FetchedLeafLog, NodeStorePath = options.NodeStorePath is null ? null : files.FetchedNodeStore }, files.FetchedSnapshot);
            double checkSeconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
            ReplicaFolder.AdoptFetched(files);
            _logger.SnapshotFetched(peer, seconds, checkSeconds);
        }
        finally
        {
            ReplicaFolder.DropFetched(files);
        }
    }

    // What came over a network is read whole, where a start from files that this replica wrote relies on checksums as it goes. In stored mode the node store is made from it here.
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
