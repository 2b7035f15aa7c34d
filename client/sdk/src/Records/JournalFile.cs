using Microsoft.Win32.SafeHandles;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// Stores a journal in a file of mode 0600. <see cref="Replace"/> writes a file of the same name with the ending <c>.tmp</c> and renames
/// it. A crash may leave the temporary file, which no program reads and the next constructor deletes.
/// </summary>
internal sealed class JournalFile : IJournalFile
{
    private readonly string _temporary;
    private SafeFileHandle? _file;
    private bool _isUncertain;

    /// <summary>
    /// Opens the file if it exists. Follows a symbolic link, and later replaces its target. The caller holds a lock, so no other process
    /// uses the file.
    /// </summary>
    public JournalFile(string path)
    {
        Path = FileTarget.Resolve(path).Path;
        _temporary = Path + ".tmp";
        File.Delete(_temporary);
        if (File.Exists(Path))
        {
            _file = Open();
        }
    }

    public string Path { get; }

    public long? Length => _file is null ? null : RandomAccess.GetLength(_file);

    public void Read(long offset, Span<byte> into)
    {
        while (!into.IsEmpty)
        {
            int read = RandomAccess.Read(_file!, into, offset);
            if (read == 0)
            {
                throw new EndOfStreamException($"{Path} ended before octet {offset}.");
            }
            offset += read;
            into = into[read..];
        }
    }

    public void Append(ReadOnlySpan<byte> octets)
    {
        RequireCertain();
        RandomAccess.Write(_file!, octets, RandomAccess.GetLength(_file!));
        RandomAccess.FlushToDisk(_file!);
    }

    public void Cut(long length)
    {
        RequireCertain();
        RandomAccess.SetLength(_file!, length);
        RandomAccess.FlushToDisk(_file!);
    }

    public void Replace(IEnumerable<ReadOnlyMemory<byte>> parts)
    {
        File.Delete(_temporary);
        try
        {
            var options = new FileStreamOptions
            {
                Mode = FileMode.CreateNew,
                Access = FileAccess.Write,
                UnixCreateMode = AtomicFile.PrivateMode,
                BufferSize = 0,
            };
            using var stream = new FileStream(_temporary, options);
            foreach (ReadOnlyMemory<byte> part in parts)
            {
                stream.Write(part.Span);
            }
            stream.Flush(flushToDisk: true);
        }
        catch
        {
            File.Delete(_temporary);
            throw;
        }
        // From the rename until the folder is on disk, a power failure may bring the former file back. A commit that was appended to the
        // new file meanwhile would then be lost, so no commit may follow unless all of this succeeds.
        _isUncertain = true;
        File.Move(_temporary, Path, overwrite: true);
        _file?.Dispose();
        _file = Open();
        DurableFiles.SyncFolder(System.IO.Path.GetDirectoryName(Path)!);
        _isUncertain = false;
    }

    public void Dispose() => _file?.Dispose();

    private void RequireCertain()
    {
        if (_isUncertain)
        {
            throw new IOException($"After a failure it is unknown which file is {Path}: end this program and start it again.");
        }
    }

    private SafeFileHandle Open() => File.OpenHandle(Path, FileMode.Open, FileAccess.ReadWrite, FileShare.Read);
}
