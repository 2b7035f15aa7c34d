using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>Caches tiles before they are verified.</summary>
internal interface ICachedTiles : ITileReader
{
    /// <summary>Drops all tiles. Call it after a verification failed, because the caller cannot always tell which tile is false.</summary>
    void Forget();
}
