using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Optiks.Tests.Shared;

/// <summary>
/// Watches a folder and the names in it for changes (inotify(7)). An fsync of the folder is visible only as the opening of the folder,
/// which must come before the fsync.
/// </summary>
internal sealed partial class FolderEvents : IDisposable
{
    private const uint IN_OPEN = 0x20;
    private const uint IN_MOVED_TO = 0x80;
    private const uint IN_CREATE = 0x100;
    private const uint IN_ISDIR = 0x40000000;
    private const int IN_NONBLOCK = 0x800;

    private readonly SafeFileHandle _events = inotify_init1(IN_NONBLOCK);

    public FolderEvents(string folder) => Assert.True(inotify_add_watch(_events, folder, IN_OPEN | IN_MOVED_TO | IN_CREATE) >= 0);

    /// <summary>Returns the events since the last call: "create NAME", "move NAME", and "open" of the folder itself.</summary>
    public IReadOnlyList<string> Read()
    {
        const int HeaderLength = 16;
        byte[] octets = new byte[64 * 1024];
        int length = (int)read(_events, octets, octets.Length);
        var found = new List<string>();
        for (int at = 0; at < length;)
        {
            uint mask = BinaryPrimitives.ReadUInt32LittleEndian(octets.AsSpan(at + 4));
            int nameLength = BinaryPrimitives.ReadInt32LittleEndian(octets.AsSpan(at + 12));
            string name = Encoding.UTF8.GetString(octets, at + HeaderLength, nameLength).TrimEnd('\0');
            string? said = (mask & ~IN_ISDIR) switch
            {
                IN_CREATE => $"create {name}",
                IN_MOVED_TO => $"move {name}",
                IN_OPEN when name.Length == 0 => "open",
                _ => null,
            };
            if (said is not null)
            {
                found.Add(said);
            }
            at += HeaderLength + nameLength;
        }
        return found;
    }

    public void Dispose() => _events.Dispose();

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial SafeFileHandle inotify_init1(int flags);

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int inotify_add_watch(SafeFileHandle events, string path, uint mask);

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial nint read(SafeFileHandle events, Span<byte> into, nint length);
}
