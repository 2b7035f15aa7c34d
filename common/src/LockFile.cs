namespace Optiks;

/// <summary>Takes a lock on a file, which only one process at a time can hold. The lock ends when the process closes the file or ends; the
/// file stays.</summary>
public static class LockFile
{
    // These error codes are EWOULDBLOCK of Linux and of macOS, and ERROR_SHARING_VIOLATION of Windows. Only these codes mean that another
    // process holds the file.
    private const int LinuxHeld = 11;
    private const int MacHeld = 35;
    private const int WindowsHeld = 32;

    /// <summary>
    /// Opens the file, creating it with mode 0600 if necessary; returns null if another process holds it. Throws <see cref="IOException"/>,
    /// which names the file, if the file cannot be created or written.
    /// </summary>
    public static FileStream? TryTake(string path)
    {
        try
        {
            return new FileStream(path,
                new FileStreamOptions
                {
                    Mode = FileMode.OpenOrCreate,
                    Access = FileAccess.ReadWrite,
                    Share = FileShare.None,
                    UnixCreateMode = AtomicFile.PrivateMode,
                });
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
