using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Text;

namespace Optiks.UpdateTask.Board;

/// <summary>
/// LockHolder ends an update-task of this machine that keeps the board's lock although the lease is another's: paused, or hanging in a system call. Without it such a
/// process would stop its successor for good. Killing it is safe at any point, as every step is. A process on another machine, or that is no update-task, is left alone.
/// </summary>
internal static class LockHolder
{
    private const string ProgramName = "Optiks.UpdateTask";

    /// <summary>TryKill is for the holder of the lease after waiting in vain. Gives the id of the process that it killed, null when there is none that it may kill.</summary>
    public static int? TryKill(string boardLog)
    {
        // The file, not its name: links give it others, and what a process has open is shown without any.
        if (FileStatus.TryRead(Path.Combine(boardLog, ".lock")) is not { } file)
        {
            return null;
        }
        foreach ((int id, ulong device, ulong inode) in Locks())
        {
            bool isHolder = (device == file.Device && inode == file.Inode) || HasOpen(id, file);
            if (id != Environment.ProcessId && isHolder && IsUpdateTask(id))
            {
                try
                {
                    using var process = Process.GetProcessById(id);
                    process.Kill();
                    return id;
                }
                catch (Exception e) when (e is ArgumentException or InvalidOperationException or Win32Exception)
                {
                    // Gone meanwhile, or another user's.
                    return null;
                }
            }
        }
        return null;
    }

    // proc_locks(5): "3: FLOCK  ADVISORY  WRITE 1234 08:02:5678 0 EOF". Processes of other namespaces have the id 0 or are not listed.
    private static IEnumerable<(int Process, ulong Device, ulong Inode)> Locks()
    {
        foreach (string line in File.ReadLines("/proc/locks"))
        {
            string[] fields = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (fields.Length > 5 && fields[1] == "FLOCK" && int.TryParse(fields[4], NumberStyles.None, CultureInfo.InvariantCulture, out int id) && id > 0
                && fields[5].Split(':') is [var major, var minor, var number]
                && uint.TryParse(major, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out uint high)
                && uint.TryParse(minor, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out uint low)
                && ulong.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out ulong inode))
            {
                yield return (id, FileStatus.DeviceOf(high, low), inode);
            }
        }
    }

    private static bool IsUpdateTask(int id)
    {
        try
        {
            return Encoding.UTF8.GetString(File.ReadAllBytes($"/proc/{id}/cmdline")).Contains(ProgramName, StringComparison.Ordinal);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    // Where a file's device is not that of its file system (btrfs). Needs more rights than being of the same user, as the services forbid others to look into them.
    private static bool HasOpen(int id, FileStatus file)
    {
        try
        {
            return Directory.EnumerateFileSystemEntries($"/proc/{id}/fd").Any(link => FileStatus.TryRead(link) is { } open && open.IsSameFile(file));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }
}
