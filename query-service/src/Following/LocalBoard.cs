using Microsoft.Win32.SafeHandles;
using Optiks.QueryService.Answers;
using Optiks.ServiceDefaults;
using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>Reads the board in the folder <c>board/log</c> of the data folder, and never writes to it. Thread-safe.</summary>
internal sealed class LocalBoard : IBoardFiles
{
    private readonly string _log;

    public LocalBoard(DataFolder folder)
    {
        _log = Path.Combine(folder.Board, "log");
        Tiles = new DirectoryTileReader(_log);
    }

    /// <summary>The reader of the board's tiles and checkpoint.</summary>
    public ITileReader Tiles { get; }

    /// <inheritdoc/>
    public Task<BoardFile?> FindAsync(string path, CancellationToken cancellationToken) =>
        Task.FromResult(TilePath.TryParse(path, out _) || AuditProofPath.TryParse(path, out _) ? Find(path) : null);

    /// <inheritdoc/>
    public Task<BoardFile> FindAuditProofAsync(ulong epoch, CancellationToken cancellationToken) =>
        Task.FromResult(
            Find(AuditProofPath.ForEpoch(epoch)) ?? throw new BoardUnreadableException($"The audit proof of epoch {epoch} is missing."));

    /// <inheritdoc/>
    public async Task ReadAuditProofAsync(ulong epoch, PooledWriter output, CancellationToken cancellationToken)
    {
        try
        {
            using SafeFileHandle file = File.OpenHandle(
                Path.Combine(_log, AuditProofPath.ForEpoch(epoch)), options: FileOptions.Asynchronous);
            int length = checked((int)RandomAccess.GetLength(file));
            Memory<byte> room = output.GetMemory(length)[..length];
            for (int done = 0; done < length;)
            {
                int read = await RandomAccess.ReadAsync(file, room[done..], done, cancellationToken);
                if (read == 0)
                {
                    throw new EndOfStreamException("The file became shorter.");
                }
                done += read;
            }
            output.Advance(length);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new BoardUnreadableException($"The audit proof of epoch {epoch} cannot be read: {e.Message}", e);
        }
    }

    // This method passes only the canonical forms of names that boards have to the file system, so that no path can lead out of the folder.
    private BoardFile? Find(string path)
    {
        var file = new FileInfo(Path.Combine(_log, path));
        return file.Exists ? BoardFile.OnDisk(file) : null;
    }
}
