using Microsoft.Win32.SafeHandles;

namespace Optiks.Tlog;

/// <summary>
/// Writes small files below a folder so that after any crash each file exists whole or not at all. The steps are temporary file, fsync,
/// rename, fsync of the folder. The temporary file's name is fixed, so that a repetition overwrites a file that a crash left. Only the
/// holder of the board's lock may write. Not thread-safe.
/// </summary>
public sealed class DurableFiles
{
    // Limits the folders whose names are known to be durable. If the limit is reached, the names are forgotten, which costs some additional
    // fsyncs.
    private const int MaxKnownFolders = 4096;

    private readonly string _root;
    private readonly HashSet<string> _knownFolders = new(StringComparer.Ordinal);

    /// <summary>Takes an existing folder.</summary>
    public DurableFiles(string root) => _root = root;

    /// <summary>
    /// Makes the names in a folder durable. Does nothing on systems where a folder cannot be synced. The servers run on Linux, which can
    /// sync folders.
    /// </summary>
    public static void SyncFolder(string path)
    {
        if (OperatingSystem.IsLinux())
        {
            Libc.SyncDirectory(path);
        }
    }

    /// <summary>
    /// Writes a file that never changes. If the file exists with the same bytes, it stays. If it exists with other bytes, throws
    /// <see cref="BoardConflictException"/>.
    /// </summary>
    /// <param name="path">The path below the folder, with '/' as the separator; missing folders are created.</param>
    /// <param name="bytes">The contents.</param>
    public void WriteOnce(string path, ReadOnlySpan<byte> bytes)
    {
        string full = Path.Combine(_root, path);
        string folder = EnsureFolder(path);
        byte[]? present = TryRead(full);
        if (present is null)
        {
            Write(full, folder, bytes);
            return;
        }
        if (!present.AsSpan().SequenceEqual(bytes))
        {
            throw new BoardConflictException($"{full} exists with other content. Published files never change.");
        }

        // The existing file's name may not be durable: a crash may have happened between the file's rename and the fsync of the folder.
        Libc.SyncDirectory(folder);
    }

    /// <summary>Writes a file, and replaces an existing file.</summary>
    public void Replace(string path, ReadOnlySpan<byte> bytes) => Write(Path.Combine(_root, path), EnsureFolder(path), bytes);

    /// <summary>
    /// Removes a folder with all its contents; does nothing if the folder does not exist. After a crash the folder may exist again.
    /// </summary>
    public void RemoveFolder(string path)
    {
        string full = Path.Combine(_root, path);
        if (Directory.Exists(full))
        {
            Directory.Delete(full, recursive: true);
            _ = _knownFolders.Remove(full);
        }
    }

    /// <summary>Makes the name of an existing file durable. An earlier call wrote the file, and may have been interrupted.</summary>
    public void Sync(string path) => Libc.SyncDirectory(EnsureFolder(path));

    // The code does not use File.Exists, which returns false for a file that may not be read. Such a file would then be overwritten.
    private static byte[]? TryRead(string full)
    {
        try
        {
            return File.ReadAllBytes(full);
        }
        catch (FileNotFoundException)
        {
            return null;
        }
    }

    private static void Write(string full, string folder, ReadOnlySpan<byte> bytes)
    {
        string target = FileTarget.Resolve(full).Path;
        string temporary = target + ".tmp";
        using (SafeFileHandle file = File.OpenHandle(temporary, FileMode.Create, FileAccess.Write, FileShare.Read))
        {
            RandomAccess.Write(file, bytes, fileOffset: 0);
            RandomAccess.FlushToDisk(file);
        }
        File.Move(temporary, target, overwrite: true);
        Libc.SyncDirectory(target == full ? folder : Path.GetDirectoryName(target)!);
    }

    private string EnsureFolder(string path)
    {
        string folder = _root;
        foreach (string name in path.Split('/')[..^1])
        {
            string parent = folder;
            folder = Path.Combine(parent, name);
            if (!_knownFolders.Contains(folder))
            {
                Directory.CreateDirectory(folder);
                Libc.SyncDirectory(parent);
                if (_knownFolders.Count == MaxKnownFolders)
                {
                    _knownFolders.Clear();
                }
                _knownFolders.Add(folder);
            }
        }
        return folder;
    }
}
