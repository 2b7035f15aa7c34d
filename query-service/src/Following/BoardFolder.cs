using Microsoft.Win32.SafeHandles;
using Optiks.QueryService.Answers;
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

    /// <summary>FindAuditProof gives the file of an epoch's proof, which was published. Throws <see cref="BoardUnreadableException"/>.</summary>
    public FileInfo FindAuditProof(ulong epoch) =>
        Find(AuditProofPath.Of(epoch)) ?? throw new BoardUnreadableException($"The audit proof of epoch {epoch} is missing.");

    /// <summary>ReadAuditProofAsync reads the file of an epoch's proof. Throws <see cref="BoardUnreadableException"/>.</summary>
    public async Task ReadAuditProofAsync(ulong epoch, PooledWriter output, CancellationToken cancellationToken)
    {
        try
        {
            using SafeFileHandle file = File.OpenHandle(Path.Combine(_log, AuditProofPath.Of(epoch)), options: FileOptions.Asynchronous);
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
}
