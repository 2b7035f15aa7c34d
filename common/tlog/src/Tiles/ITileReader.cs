namespace Optiks.Tlog;

/// <summary>ITileReader fetches the files of a log as they are served. It verifies nothing: <see cref="HashReader"/> does.</summary>
public interface ITileReader
{
    /// <summary>ReadCheckpointAsync returns the bytes of the current checkpoint note; null when the log has none yet.</summary>
    Task<byte[]?> ReadCheckpointAsync(CancellationToken cancellationToken);

    /// <summary>
    /// ReadTileAsync returns a tile's or bundle's bytes; null when there is none of exactly this path. Other failures throw.
    /// </summary>
    Task<byte[]?> ReadTileAsync(TilePath path, CancellationToken cancellationToken);
}
