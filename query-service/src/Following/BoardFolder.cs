using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>BoardFolder is <c>board/log</c> of the data folder, read-only here. Any thread.</summary>
internal sealed class BoardFolder
{
    private readonly string _log;

    public BoardFolder(DataFolder folder)
    {
        _log = Path.Combine(folder.Board, "log");
        Tiles = new DirectoryTileReader(_log);
    }

    /// <summary>Tiles and checkpoint.</summary>
    public ITileReader Tiles { get; }

    /// <summary>Find gives an existing file; null when it is missing. The path must be one of the board's own spellings: nothing else may reach the file system.</summary>
    public FileInfo? Find(string path)
    {
        var file = new FileInfo(Path.Combine(_log, path));
        return file.Exists ? file : null;
    }

    /// <summary>ReadAuditProofAsync reads the file of an epoch's proof. Throws <see cref="BoardUnreadableException"/>.</summary>
    public async Task<byte[]> ReadAuditProofAsync(ulong epoch, CancellationToken cancellationToken)
    {
        try
        {
            return await File.ReadAllBytesAsync(Path.Combine(_log, AuditPath.Of(epoch)), cancellationToken);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new BoardUnreadableException($"The audit proof of epoch {epoch} cannot be read: {e.Message}", e);
        }
    }
}
