using Microsoft.Extensions.Options;
using Optiks.QueryService.Options;
using Optiks.ServiceDefaults;
using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>
/// Reads the files of a board at a URL, and caches the most recently used ones within a bound. If several callers need the same file at the
/// same time, they share one fetch. This class does not verify tiles; <see cref="HashReader"/> does. Thread-safe. Failed reads throw
/// <see cref="IOException"/>.
/// </summary>
/// <remarks>
/// Invariant: for a tile that still grows, this class requests only the widest version that the board's newest checkpoint commits to,
/// because a copied board may lack narrower versions. So there is only one file to fetch per tile.
/// </remarks>
internal sealed class RemoteTiles : ITileReader, IDisposable
{
    // The largest number of tiles that are fetched at the same time, and the largest number of fetches that are running or waiting. The
    // limit on client connections is too high to bound these numbers.
    private const int MaxFetches = 8;
    private const int MaxPending = 512;

    // The largest number of audit proofs that are fetched and verified at the same time. It is lower than the limit for tiles, because
    // audit proofs are long, and because verifying them must leave processors free for lookups. The two limits are separate, because the
    // verification of a proof itself fetches tiles.
    private const int MaxProofs = 2;

    private readonly HttpTileReader _remote;
    private readonly BoardWatch _watch;
    private readonly OctetCache _cache;
    private readonly Lock _gate = new();
    private readonly Dictionary<string, Task<byte[]?>> _pending = new(StringComparer.Ordinal);
    private readonly SemaphoreSlim _fetches = new(MaxFetches);
    private readonly SemaphoreSlim _proofs = new(MaxProofs);

    public RemoteTiles(HttpTileReader remote, BoardWatch watch, IOptions<QueryServiceOptions> options)
    {
        _remote = remote;
        _watch = watch;
        _cache = new OctetCache(options.Value.BoardCacheBytes);
    }

    /// <inheritdoc/>
    public Task<byte[]?> ReadCheckpointAsync(CancellationToken cancellationToken) => Task.FromResult(_watch.Newest?.Note.ToArray());

    /// <inheritdoc/>
    public async Task<byte[]?> ReadTileAsync(TilePath path, CancellationToken cancellationToken)
    {
        TilePath widest = Widest(path);
        byte[]? octets = await GetAsync(
            $"{widest}", _fetches, () => _remote.ReadTileAsync(widest, CancellationToken.None), cancellationToken);
        // A tile that was fetched with exactly the requested width is returned unchanged, because its reader checks the width.
        return octets is null || widest == path ? octets : Cut(octets, path);
    }

    /// <summary>
    /// Returns an epoch's audit proof; null if it does not exist. Verifies the proof before it caches or returns it.
    /// </summary>
    /// <param name="epoch">The epoch's number.</param>
    /// <param name="maxLength">The greatest accepted length of the proof in bytes.</param>
    /// <param name="verify">The function that throws if the given bytes are not the epoch's proof.</param>
    /// <param name="cancellationToken">Cancels this caller's wait.</param>
    public Task<byte[]?> ReadAuditProofAsync(
        ulong epoch, int maxLength, Func<byte[], Task> verify, CancellationToken cancellationToken) => GetAsync(
        AuditProofPath.ForEpoch(epoch),
        _proofs,
        async () =>
        {
            byte[]? proof = await _remote.ReadAuditProofAsync(epoch, maxLength, CancellationToken.None);
            if (proof is not null)
            {
                await verify(proof);
            }
            return proof;
        },
        cancellationToken);

    /// <summary>Drops all cached tiles. Callers call it after a verification has failed, because they cannot always tell which tile is
    /// wrong.</summary>
    public void Forget() => _cache.Clear();

    public void Dispose()
    {
        _fetches.Dispose();
        _proofs.Dispose();
    }

    private static byte[]? Cut(byte[] octets, TilePath path)
    {
        if (!path.IsEntries)
        {
            return octets.Length >= path.Width * TreeHash.Length ? octets[..(path.Width * TreeHash.Length)] : octets;
        }
        return EntryBundle.TryTrim(octets, path.Width, out ReadOnlyMemory<byte> trimmed) ? trimmed.ToArray() : octets;
    }

    private TilePath Widest(TilePath path)
    {
        if (path.IsFull || _watch.Newest is not { } newest)
        {
            return path;
        }
        TilePath? now = path.IsEntries
            ? TileLayout.Bundle(newest.Size, path.Index)
            : TileLayout.HashTile(newest.Size, path.Level, path.Index);
        return now is { } present && present.Width > path.Width ? present : path;
    }

    private Task<byte[]?> GetAsync(string path, SemaphoreSlim turns, Func<Task<byte[]?>> fetch, CancellationToken cancellationToken)
    {
        if (_cache.TryGet(path, out byte[]? known))
        {
            return Task.FromResult<byte[]?>(known);
        }
        Task<byte[]?>? fetching;
        lock (_gate)
        {
            if (!_pending.TryGetValue(path, out fetching))
            {
                if (_pending.Count >= MaxPending)
                {
                    throw new IOException("Too many files of the board are being fetched.");
                }
                fetching = Task.Run(() => FetchAsync(path, turns, fetch), CancellationToken.None);
                _pending.Add(path, fetching);
            }
        }
        // If this caller stops waiting, the fetch continues, because other callers may wait for it.
        return fetching.WaitAsync(cancellationToken);
    }

    private async Task<byte[]?> FetchAsync(string path, SemaphoreSlim turns, Func<Task<byte[]?>> fetch)
    {
        await turns.WaitAsync();
        try
        {
            byte[]? octets = await fetch();
            if (octets is not null)
            {
                _cache.Put(path, octets);
            }
            return octets;
        }
        catch (HttpRequestException e)
        {
            throw new IOException($"The remote board cannot be read: {e.Message}", e);
        }
        finally
        {
            turns.Release();
            lock (_gate)
            {
                _ = _pending.Remove(path);
            }
        }
    }
}
