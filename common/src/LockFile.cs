namespace Optiks;

/// <summary>LockFile is a file that one process at a time holds open. Its lock ends with the process, and the file stays.</summary>
public static class LockFile
{
    // EWOULDBLOCK of Linux and of macOS, ERROR_SHARING_VIOLATION of Windows: the only errors that tell of another holder.
    private const int LinuxHeld = 11;
    private const int MacHeld = 35;
    private const int WindowsHeld = 32;

    /// <summary>
    /// TryTake opens the file, made if need be with mode 0600; null when another process holds it. Throws <see cref="IOException"/> that names the file when it cannot be made or written.
    /// </summary>
    public static FileStream? TryTake(string path)
    {
        try
        {
            return new FileStream(path, new FileStreamOptions { Mode = FileMode.OpenOrCreate, Access = FileAccess.ReadWrite, Share = FileShare.None, UnixCreateMode = AtomicFile.PrivateMode });
        }
        catch (IOException e) when ((e.HResult & 0xFFFF) is LinuxHeld or MacHeld or WindowsHeld)
        {
            return null;
        }
        catch (UnauthorizedAccessException e)
        {
            throw new IOException($"The file {path} cannot be written by this user: {e.Message}", e);
        }
    }
}
