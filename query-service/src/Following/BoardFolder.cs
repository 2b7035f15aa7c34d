using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>BoardFolder is <c>board/log</c> of the data folder, read-only here. Any thread.</summary>
internal sealed class BoardFolder
{
    private const string EntriesPrefix = "tile/entries/";
    private const string AuditPrefix = "audit/";

    private readonly string _log;

    public BoardFolder(DataFolder folder)
    {
        _log = Path.Combine(folder.Board, "log");
        Tiles = new DirectoryTileReader(_log);
    }

    /// <summary>Tiles and checkpoint.</summary>
    public ITileReader Tiles { get; }

    /// <summary>AuditPath of an epoch's proof: its number in the form of tile paths (docs/spec/board.md section 3).</summary>
    public static string AuditPath(ulong epoch) => string.Concat(AuditPrefix, TilePath.Entries(epoch).ToString().AsSpan(EntriesPrefix.Length));

    /// <summary>IsAuditPath says whether a path is such a name, in its only spelling.</summary>
    public static bool IsAuditPath(string path) =>
        path.StartsWith(AuditPrefix, StringComparison.Ordinal)
        && TilePath.TryParse(string.Concat(EntriesPrefix, path.AsSpan(AuditPrefix.Length)), out TilePath tile) && tile.IsFull;

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
            return await File.ReadAllBytesAsync(Path.Combine(_log, AuditPath(epoch)), cancellationToken);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new BoardUnreadableException($"The audit proof of epoch {epoch} cannot be read: {e.Message}", e);
        }
    }
}
