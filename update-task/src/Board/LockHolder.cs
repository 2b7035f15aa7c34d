using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Text;

namespace Optiks.UpdateTask.Board;

/// <summary>
/// Kills an update-task on this machine that still keeps the board's lock although it has lost the lease, because it is paused or hangs in
/// a system call. Otherwise that update-task would block its successor forever. Killing it is safe at any point, because the task survives
/// a crash at every step. This class kills no process on another machine, and no process that is not an update-task.
/// </summary>
internal static class LockHolder
{
    private const string ProgramName = "Optiks.UpdateTask";

    /// <summary>
    /// Kills the update-task that holds the board's lock. The holder of the lease calls this method after it has waited for the lock in
    /// vain. Returns the id of the killed process, or null if the method killed no process.
    /// </summary>
    public static int? TryKill(string boardLog)
    {
        // The search identifies the lock's file by its device and inode, because links may give the file other names, and the kernel lists
        // locks without names.
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
                    // The process that holds the lock has ended in the meantime, or belongs to another user.
                    return null;
                }
            }
        }
        return null;
    }

    // Parses /proc/locks (proc_locks(5)), whose lines look like "3: FLOCK ADVISORY WRITE 1234 08:02:5678 0 EOF". Processes of other process
    // namespaces have the id 0 there, or are missing.
    private static IEnumerable<(int Process, ulong Device, ulong Inode)> Locks()
    {
        foreach (string line in File.ReadLines("/proc/locks"))
        {
            string[] fields = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (fields.Length > 5 && fields[1] == "FLOCK"
                && int.TryParse(fields[4], NumberStyles.None, CultureInfo.InvariantCulture, out int id) && id > 0
                && fields[5].Split(':') is [var major, var minor, var number]
                && uint.TryParse(major, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out uint high)
                && uint.TryParse(minor, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out uint low)
                && ulong.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out ulong inode))
            {
                yield return (id, FileStatus.MakeDevice(high, low), inode);
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

    // Returns whether a process has the file open. This check is needed on file systems such as btrfs, where a file's device differs from
    // the device in /proc/locks. Running as the same user is not enough privilege for this check, because the services forbid other
    // processes to inspect them.
    private static bool HasOpen(int id, FileStatus file)
    {
        try
        {
            return Directory.EnumerateFileSystemEntries($"/proc/{id}/fd")
                .Any(link => FileStatus.TryRead(link) is { } open && open.IsSameFile(file));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }
}
