using System.Diagnostics;
using Microsoft.Extensions.Options;
using Optiks.ApiKeys;
using Optiks.Native;
using Optiks.QueryService.Following;
using Optiks.QueryService.Options;
using Optiks.QueryService.Telemetry;

namespace Optiks.QueryService.Snapshots;

/// <summary>
/// The other replicas (peers) from which this replica may take a snapshot when it starts. A process uses each peer only once, whatever the
/// result, so that the start takes bounded time and then falls back to the database. Not thread-safe.
/// </summary>
internal sealed class SnapshotPeers : IDisposable
{
    // The time during which busy peers are asked again. It is minutes, because loading from the database takes minutes too.
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(5);

    private readonly List<Uri> _peers;
    private readonly SnapshotDownload? _download;
    private readonly TimeProvider _clock;
    private readonly ILogger<SnapshotPeers> _logger;

    /// <summary>
    /// Reads the peers from the options. Throws <see cref="Secrets.SecretsException"/> when the key's file cannot be used.
    /// </summary>
    public SnapshotPeers(IOptions<QueryServiceOptions> options, TimeProvider clock, ILogger<SnapshotPeers> logger)
    {
        QueryServiceOptions settings = options.Value;
        _peers = [.. settings.SnapshotPeers.Select(peer => new Uri(peer))];
        _download = _peers.Count == 0 ? null : new SnapshotDownload(ApiKey.ReadFile(settings.SnapshotPeerKeyFile), settings.SnapshotPeerMaxBytes, clock, logger);
        _clock = clock;
        _logger = logger;
    }

    /// <summary>Whether there is a peer that was not used yet.</summary>
    public bool AreAny => _peers.Count > 0;

    /// <summary>
    /// Adopts a peer's snapshot or, in stored mode, the node store made from that snapshot. Returns false when no peer sends a complete
    /// snapshot. After a success, the ordinary start compares the roots with the signed record. A peer in another period has other secrets
    /// than the options, so its snapshot is refused in the same way as damaged files.
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

    // Verifies files from the network completely. By contrast, a start from files that this replica wrote itself relies on checksums that
    // it verifies while it reads. In stored mode, this call also makes the node store.
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
