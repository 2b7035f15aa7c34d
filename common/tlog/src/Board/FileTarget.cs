using System.Globalization;
using System.Text.RegularExpressions;
using Microsoft.Win32.SafeHandles;

namespace Optiks.Tlog;

/// <summary>
/// Finds the file to which a path leads through symbolic links. Programs replace this file, and not the link: a rename over the link would
/// replace the link, and a program that reads the link's target would keep the old contents.
/// </summary>
/// <param name="Path">The absolute path, whose last name is not a symbolic link. The file need not exist.</param>
/// <param name="Descriptor">The descriptor of an open file of this process, if the path (such as <c>/dev/stdout</c>) names that open file;
/// otherwise null.</param>
public sealed partial record FileTarget(string Path, int? Descriptor)
{
    // The highest number of links that Linux follows.
    private const int MaxLinks = 40;

    /// <summary>
    /// Follows the symbolic links at the end of a path. Throws <see cref="IOException"/> for links that lead in a circle, and
    /// <see cref="DirectoryNotFoundException"/> if the folder is missing.
    /// </summary>
    public static FileTarget Resolve(string path)
    {
        string full = System.IO.Path.GetFullPath(path);
        if (!OperatingSystem.IsLinux())
        {
            return new FileTarget(new FileInfo(full).ResolveLinkTarget(returnFinalTarget: true)?.FullName ?? full, null);
        }
        for (int i = 0; i < MaxLinks; i++)
        {
            int name = full.LastIndexOf('/') + 1;
            // The kernel resolves the folder's path, because ".." after a symbolic link to a folder is the parent of the link's target.
            string folder = Libc.RealPath(name > 1 ? full[..(name - 1)] : "/");
            string resolved = System.IO.Path.Join(folder, full[name..]);
            if (OpenFile().Match(resolved) is { Success: true } open)
            {
                // In /proc, a link in a process's folder `fd` names an open file of that process. If the open file is a pipe, the link's
                // target is not a path.
                bool isOwn = open.Groups["process"].ValueSpan.SequenceEqual(Environment.ProcessId.ToString(CultureInfo.InvariantCulture));
                return new FileTarget(resolved, isOwn ? int.Parse(open.Groups["file"].ValueSpan, CultureInfo.InvariantCulture) : null);
            }
            if (Libc.ReadLink(resolved) is not { } target)
            {
                return new FileTarget(resolved, null);
            }
            full = target.StartsWith('/') ? target : $"{folder}/{target}";
        }
        throw new IOException($"{path} is a symbolic link that leads back to itself.");
    }

    /// <summary>
    /// Writes to the open file that <see cref="Descriptor"/> names, at the file's own offset. Throws <see cref="IOException"/> if that
    /// fails.
    /// </summary>
    public void WriteToDescriptor(ReadOnlySpan<byte> contents)
    {
        using var file = new SafeFileHandle(Descriptor ?? throw new InvalidOperationException("No open file."), ownsHandle: false);
        Libc.Write(file, contents, Path);
    }

    [GeneratedRegex("^/proc/(?<process>[0-9]+)/(task/[0-9]+/)?fd/(?<file>[0-9]{1,9})$", RegexOptions.ExplicitCapture)]
    private static partial Regex OpenFile();
}
