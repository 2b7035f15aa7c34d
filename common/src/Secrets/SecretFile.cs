using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Optiks.Secrets;

/// <summary>
/// Reads files that only their owner may read. Refuses files with other permissions, because anyone who could read a key may have kept a
/// copy.
/// </summary>
public static partial class SecretFile
{
    private const int MaxLength = 64 * 1024;

    /// <summary>
    /// Returns the contents of a secret file. Throws <see cref="SecretsException"/> if the file is missing, if its group or others have any
    /// access, or if its owner is neither root nor this process's user. The exception names the file and the remedy. The caller overwrites
    /// the bytes after use.
    /// </summary>
    public static byte[] Read(string path) => Read(path, Environment.GetEnvironmentVariable);

    /// <summary>Reads a secret file, and takes the variables from another environment.</summary>
    internal static byte[] Read(string path, Func<string, string?> environment)
    {
        try
        {
            // Opening a named pipe would wait for its writer.
            if (OperatingSystem.IsLinux() && FileStatus.TryRead(path) is { IsRegular: false })
            {
                throw new SecretsException($"{path} is not a regular file: put the key's file there.");
            }
            // The checks use the permissions of the opened file, even if its name leads to another file afterwards.
            using var stream = new FileStream(path, new FileStreamOptions { BufferSize = 0 });
            CheckAccess(path, stream.SafeFileHandle, environment);
            if (!stream.CanSeek)
            {
                throw new SecretsException($"{path} is a pipe or a device: put the key into a file of mode 0600.");
            }
            if (stream.Length > MaxLength)
            {
                throw new SecretsException($"{path} has {stream.Length} bytes, too many for a key file.");
            }
            byte[] octets = GC.AllocateUninitializedArray<byte>((int)stream.Length, pinned: true);
            stream.ReadExactly(octets);
            return octets;
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            throw new SecretsException($"{path} is missing: put the file back. No new one is created in its place.", e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new SecretsException($"{path} cannot be read: {e.Message}", e);
        }
    }

    /// <summary>Returns whether an open file belongs to this program's user. Returns true on systems that do not report owners.</summary>
    internal static bool IsOwnFile(SafeFileHandle handle) => !OperatingSystem.IsLinux() || Owner(handle) == geteuid();

    private static void CheckAccess(string path, SafeFileHandle handle, Func<string, string?> environment)
    {
        UnixFileMode mode = File.GetUnixFileMode(handle);
        if ((mode & ~ServiceCredential.GetAllowedMode(path, environment)) != 0)
        {
            throw new SecretsException($"{path} is open to other users (mode {Convert.ToString((int)mode, 8)}): run 'chmod 600 {path}', and replace the key if someone may have read it.");
        }
        // On other systems, only root can open another user's file of mode 0600.
        if (OperatingSystem.IsLinux())
        {
            CheckOwner(path, Owner(handle));
        }
    }

    /// <summary>
    /// Throws <see cref="SecretsException"/> unless a file's owner is root or this program's user: any other owner may change the file at
    /// will. Linux only.
    /// </summary>
    internal static void CheckOwner(string path, uint owner)
    {
        uint self = geteuid();
        if (owner != self && owner != 0)
        {
            throw new SecretsException($"{path} belongs to user {owner}, not to user {self} whom this program runs as: run 'chown {self} {path}'.");
        }
    }

    private static uint Owner(SafeFileHandle handle) => FileStatus.Read(handle).Owner;

    [LibraryImport("libc")]
    private static partial uint geteuid();
}
