using Microsoft.Win32.SafeHandles;

namespace Optiks.Tlog;

/// <summary>
/// Writes small files below a folder so that after any crash each file exists whole or not at all. Each file is written under a temporary
/// name, synced and renamed, and then its folder is synced. The temporary name is always the same for a file, so that a repetition
/// overwrites the temporary file that a crash left. Only the holder of the board's lock may write, and only one thread at a time may use an
/// instance.
/// </summary>
public sealed class DurableFiles
{
    // The highest number of folders that the object remembers as durable. If the limit is reached, the object forgets all of them, which
    // costs some additional fsyncs.
    private const int MaxKnownFolders = 4096;

    private readonly string _root;
    private readonly HashSet<string> _knownFolders = new(StringComparer.Ordinal);

    /// <summary>Creates an instance that writes below this existing folder.</summary>
    public DurableFiles(string root) => _root = root;

    /// <summary>
    /// Makes the names of the files in a folder durable by syncing the folder. Does nothing on systems that cannot sync folders; the
    /// servers run on Linux, which can.
    /// </summary>
    public static void SyncFolder(string path)
    {
        if (OperatingSystem.IsLinux())
        {
            Libc.SyncDirectory(path);
        }
    }

    /// <summary>
    /// Writes a file that never changes. If the file already exists with the same bytes, it stays. If it exists with different bytes,
    /// throws <see cref="BoardConflictException"/>.
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

        // The name of the existing file may not be durable yet, because an earlier process may have crashed after the rename and before the
        // fsync of the folder.
        Libc.SyncDirectory(folder);
    }

    /// <summary>Writes a file, and replaces an existing file.</summary>
    public void Replace(string path, ReadOnlySpan<byte> bytes) => Write(Path.Combine(_root, path), EnsureFolder(path), bytes);

    /// <summary>
    /// Removes a folder with all its contents; does nothing if the folder does not exist. The removal is not synced, so the folder may
    /// exist again after a crash.
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

    /// <summary>Makes the name of an existing file durable. The call that wrote the file may have been interrupted before it did
    /// so.</summary>
    public void Sync(string path) => Libc.SyncDirectory(EnsureFolder(path));

    // The code does not use `File.Exists`, because it returns false for a file that the process may not read. Such a file would then be
    // overwritten.
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
