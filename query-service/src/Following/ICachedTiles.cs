using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>ICachedTiles keeps tiles before anyone has verified them.</summary>
internal interface ICachedTiles : ITileReader
{
    /// <summary>Forget drops all that is kept: some of it was found false, and which cannot always be told.</summary>
    void Forget();
}
