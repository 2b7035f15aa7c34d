using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>Caches tiles before they are verified.</summary>
internal interface ICachedTiles : ITileReader
{
    /// <summary>Drops all tiles: some were found false, and it is not always known which.</summary>
    void Forget();
}
