namespace Optiks.Tlog;

/// <summary>
/// Fetches the files of a log as they are served. The reader verifies nothing; <see cref="HashReader"/> verifies the files.
/// </summary>
public interface ITileReader
{
    /// <summary>Returns the bytes of the current checkpoint note; null before the log's first checkpoint.</summary>
    Task<byte[]?> ReadCheckpointAsync(CancellationToken cancellationToken);

    /// <summary>Returns a tile's or bundle's bytes; null if no file has exactly this path. Other failures throw.</summary>
    Task<byte[]?> ReadTileAsync(TilePath path, CancellationToken cancellationToken);
}
