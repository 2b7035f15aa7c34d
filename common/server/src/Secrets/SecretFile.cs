using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Optiks.Secrets;

/// <summary>
/// Reads files with secrets, which only their owner may read. Refuses files that other users may read, because those users may have a copy
/// of the secret.
/// </summary>
public static partial class SecretFile
{
    private const int MaxLength = 64 * 1024;

    /// <summary>
    /// Returns the contents of a secret file. Throws <see cref="SecretsException"/> if the file is missing, if the file's group or other
    /// users have any access, or if its owner is neither root nor this process's user. The exception names the file and the remedy. The
    /// caller overwrites the bytes after use.
    /// </summary>
    public static byte[] Read(string path) => Read(path, Environment.GetEnvironmentVariable);

    /// <summary>Reads a secret file, with the variables of the given environment.</summary>
    internal static byte[] Read(string path, Func<string, string?> environment)
    {
        try
        {
            // Opening a named pipe would wait until another process opens it for writing.
            if (OperatingSystem.IsLinux() && FileStatus.TryRead(path) is { IsRegular: false })
            {
                throw new SecretsException($"{path} is not a regular file: put the key's file there.");
            }
            // The file is opened before it is checked, so that the checks apply to the same file that is read, even if another file gets
            // its name meanwhile.
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

    /// <summary>Returns whether an open file belongs to this process's user. Returns true on systems other than Linux, because the owner is
    /// not known there.</summary>
    internal static bool IsOwnFile(SafeFileHandle handle) => !OperatingSystem.IsLinux() || Owner(handle) == geteuid();

    private static void CheckAccess(string path, SafeFileHandle handle, Func<string, string?> environment)
    {
        UnixFileMode mode = File.GetUnixFileMode(handle);
        if ((mode & ~ServiceCredential.GetAllowedMode(path, environment)) != 0)
        {
            throw new SecretsException(
                $"{path} is open to other users (mode {Convert.ToString((int)mode, 8)}): run 'chmod 600 {path}', and replace the key if someone may have read it.");
        }
        // Other systems need no check of the owner, because only root can open another user's file of mode 0600.
        if (OperatingSystem.IsLinux())
        {
            CheckOwner(path, Owner(handle));
        }
    }

    /// <summary>
    /// Throws <see cref="SecretsException"/> unless a file's owner is root or this process's user, because another owner could change the
    /// file at any time. Works on Linux only.
    /// </summary>
    internal static void CheckOwner(string path, uint owner)
    {
        uint self = geteuid();
        if (owner != self && owner != 0)
        {
            throw new SecretsException(
                $"{path} belongs to user {owner}, not to user {self} whom this program runs as: run 'chown {self} {path}'.");
        }
    }

    private static uint Owner(SafeFileHandle handle) => FileStatus.Read(handle).Owner;

    [LibraryImport("libc")]
    private static partial uint geteuid();
}
