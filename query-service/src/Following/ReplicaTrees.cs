using System.Security.Cryptography;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Storage;

namespace Optiks.QueryService.Following;

/// <summary>
/// Makes the trees of a period with the period's secrets. The files of the trees are in the replica's folder. Not thread-safe.
/// </summary>
internal sealed class ReplicaTrees
{
    private readonly Func<KeyRing> _keys;
    private readonly ReplicaFolder _folder;
    private readonly TrustAnchor _anchor;
    private readonly long _nodeCacheBytes;
    private readonly long _vrfCacheBytes;

    /// <param name="keys">The function that returns the keys that wrap secrets.</param>
    /// <param name="folder">The replica's folder.</param>
    /// <param name="anchor">The log's trust anchor.</param>
    /// <param name="nodeCacheBytes">The size of the node cache. If it is above 0, the trees are in stored mode; if it is 0, they are in
    /// linked mode.</param>
    /// <param name="vrfCacheBytes">The memory in bytes for the cache of VRF proofs.</param>
    public ReplicaTrees(Func<KeyRing> keys, ReplicaFolder folder, TrustAnchor anchor, long nodeCacheBytes, long vrfCacheBytes)
    {
        _keys = keys;
        _folder = folder;
        _anchor = anchor;
        _nodeCacheBytes = nodeCacheBytes;
        _vrfCacheBytes = vrfCacheBytes;
    }

    /// <summary>Restores the trees of a period from the period's snapshot or node store, with <see cref="LogTrees.TryRestore"/>.</summary>
    public LogTrees? TryRestore(PeriodRow period, out Refused? refused)
    {
        using DirectorySecrets secrets = UnwrapSecrets(period);
        TreeFiles files = _folder.GetFiles(period.Period);
        if (_nodeCacheBytes == 0)
        {
            ReplicaFolder.DeleteNodeStore(files);
        }
        return LogTrees.TryRestore(Begun(period, secrets), files.Snapshot, out refused);
    }

    /// <summary>Creates empty trees for a period. For every period but the log's first, it creates them in the state before the period
    /// begins, so that the period's copies can be loaded.</summary>
    public LogTrees Create(PeriodRow period)
    {
        using DirectorySecrets secrets = UnwrapSecrets(period);
        DirectoryOptions options = Begun(period, secrets);
        return LogTrees.Create(
            period.Period > 0 ? options with { PeriodFirstEpoch = 0 } : options, _folder.GetFiles(period.Period).Snapshot);
    }

    /// <summary>Fetches and adopts a peer's snapshot of a period, with <see cref="Snapshots.SnapshotPeers.TryFetchAsync"/>.</summary>
    public async Task<bool> TryFetchAsync(Snapshots.SnapshotPeers peers, PeriodRow period, CancellationToken cancellationToken)
    {
        using DirectorySecrets secrets = UnwrapSecrets(period);
        return await peers.TryFetchAsync(Begun(period, secrets), _folder.GetFiles(period.Period), cancellationToken);
    }

    private DirectorySecrets UnwrapSecrets(PeriodRow period)
    {
        byte[] octets = _keys().Unwrap(period.WrappedSecrets.Span, SecretPurpose.PeriodSecrets(period.Period), _anchor.LogId.Span);
        try
        {
            return DirectorySecrets.FromOctets(octets);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(octets);
        }
    }

    private DirectoryOptions Begun(PeriodRow period, DirectorySecrets secrets)
    {
        TreeFiles files = _folder.GetFiles(period.Period);
        return new DirectoryOptions
        {
            Secrets = secrets,
            LeafLogPath = files.LeafLog,
            NodeStorePath = _nodeCacheBytes > 0 ? files.NodeStore : null,
            NodeCacheBytes = (ulong)_nodeCacheBytes,
            VrfCacheBytes = (ulong)_vrfCacheBytes,
            Period = period.Period,
            PeriodFirstEpoch = period.FirstEpoch ?? 0,
            MaxValueLength = _anchor.Configuration.MaxValueLength,
            ReusesUsernames = _anchor.Configuration.ReusesUsernames,
            Threads = DirectoryOptions.AllProcessors,
        };
    }
}
