namespace Optiks.Tlog;

/// <summary>Reads a log from a folder of files. Thread-safe.</summary>
public sealed class DirectoryTileReader : ITileReader
{
    internal const string CheckpointName = "checkpoint";
    internal const string SignedName = ".signed";

    /// <summary>Takes a folder.</summary>
    public DirectoryTileReader(string folder) => Folder = Path.GetFullPath(folder);

    /// <summary>The folder's full path.</summary>
    public string Folder { get; }

    /// <inheritdoc/>
    public Task<byte[]?> ReadCheckpointAsync(CancellationToken cancellationToken) => ReadAsync(CheckpointName, cancellationToken);

    /// <summary>
    /// Returns the newest checkpoint that had to wait for cosignatures before it became the board's checkpoint (docs/spec/board.md section
    /// 3); null if no checkpoint ever waited. It may be older than the board's checkpoint.
    /// </summary>
    public Task<byte[]?> ReadSignedAsync(CancellationToken cancellationToken) => ReadAsync(SignedName, cancellationToken);

    /// <summary>Returns whether the folder has a checkpoint, published or waiting.</summary>
    public bool HasCheckpoint() => File.Exists(Path.Combine(Folder, CheckpointName)) || File.Exists(Path.Combine(Folder, SignedName));

    /// <inheritdoc/>
    public Task<byte[]?> ReadTileAsync(TilePath path, CancellationToken cancellationToken) => ReadAsync(path.ToString(), cancellationToken);

    private async Task<byte[]?> ReadAsync(string path, CancellationToken cancellationToken)
    {
        // The code does not use File.Exists, which returns false for a file that may not be read. The board would then count as empty.
        try
        {
            return await File.ReadAllBytesAsync(Path.Combine(Folder, path), cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            return null;
        }
    }
}
