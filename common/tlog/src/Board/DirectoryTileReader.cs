namespace Optiks.Tlog;

/// <summary>Reads a log from a folder of files. Any thread may use a reader.</summary>
public sealed class DirectoryTileReader : ITileReader
{
    internal const string CheckpointName = "checkpoint";
    internal const string SignedName = ".signed";

    /// <summary>Creates a reader of this folder.</summary>
    public DirectoryTileReader(string folder) => Folder = Path.GetFullPath(folder);

    /// <summary>The full path of the folder.</summary>
    public string Folder { get; }

    /// <inheritdoc/>
    public Task<byte[]?> ReadCheckpointAsync(CancellationToken cancellationToken) => ReadAsync(CheckpointName, cancellationToken);

    /// <summary>
    /// Returns the newest checkpoint that had to wait for cosignatures before its publication (docs/spec/board.md section 3), or null if no
    /// checkpoint ever waited. This checkpoint may be older than the board's checkpoint.
    /// </summary>
    public Task<byte[]?> ReadSignedAsync(CancellationToken cancellationToken) => ReadAsync(SignedName, cancellationToken);

    /// <summary>Returns whether the folder has a published checkpoint or a checkpoint that waits for cosignatures.</summary>
    public bool HasCheckpoint() => File.Exists(Path.Combine(Folder, CheckpointName)) || File.Exists(Path.Combine(Folder, SignedName));

    /// <inheritdoc/>
    public Task<byte[]?> ReadTileAsync(TilePath path, CancellationToken cancellationToken) => ReadAsync(path.ToString(), cancellationToken);

    private async Task<byte[]?> ReadAsync(string path, CancellationToken cancellationToken)
    {
        // The code does not use `File.Exists`, because it returns false for a file that the process may not read. The board would then
        // count as empty.
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
