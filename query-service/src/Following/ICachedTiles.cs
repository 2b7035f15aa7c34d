using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>Keeps tiles before anyone has verified them.</summary>
internal interface ICachedTiles : ITileReader
{
    /// <summary>Drops all that is kept: some of it was found false, and which cannot always be told.</summary>
    void Forget();
}
