namespace Optiks.Tlog;

/// <summary>
/// Reads the files of a log without verifying them; <see cref="HashReader"/> verifies the files.
/// </summary>
public interface ITileReader
{
    /// <summary>Returns the bytes of the current checkpoint note; null if the log has no checkpoint yet.</summary>
    Task<byte[]?> ReadCheckpointAsync(CancellationToken cancellationToken);

    /// <summary>Returns the bytes of a tile or bundle; null if no file has exactly this path. Throws if the file cannot be read.</summary>
    Task<byte[]?> ReadTileAsync(TilePath path, CancellationToken cancellationToken);
}
