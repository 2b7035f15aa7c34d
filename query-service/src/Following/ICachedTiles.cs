using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>Reads tiles through a cache. The cached tiles are not verified yet.</summary>
internal interface ICachedTiles : ITileReader
{
    /// <summary>Drops all cached tiles. Callers call it after a verification has failed, because they cannot always tell which tile is
    /// wrong.</summary>
    void Forget();
}
