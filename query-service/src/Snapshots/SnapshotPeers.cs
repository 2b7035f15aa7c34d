using System.Diagnostics;
using Microsoft.Extensions.Options;
using Optiks.ApiKeys;
using Optiks.Native;
using Optiks.QueryService.Following;
using Optiks.QueryService.Options;
using Optiks.QueryService.Telemetry;

namespace Optiks.QueryService.Snapshots;

/// <summary>
/// The other replicas from which this one may take a snapshot when it starts. Each is used once per process, whatever the result, so that a
/// start ends in bounded time, if necessary with the database. One thread at a time.
/// </summary>
internal sealed class SnapshotPeers : IDisposable
{
    // How long busy peers are asked again: loading from the database takes minutes, too.
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
    /// Makes a peer's snapshot the replica's own, or in stored mode the node store made from it. Returns false when no peer sends a
    /// complete one. The ordinary start then compares the roots with the signed record. A peer in another period has other secrets than the
    /// options, and is refused like one with damaged files.
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

    // Files from the network are verified completely; a start from files that this replica wrote relies on checksums while it reads. In
    // stored mode, this call makes the node store.
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
