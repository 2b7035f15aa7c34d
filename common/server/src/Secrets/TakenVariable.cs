using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using System.Text;

namespace Optiks.Secrets;

/// <summary>
/// Takes secrets out of environment variables. The first read overwrites the variable's value in the memory that the kernel shows
/// (<c>/proc/PID/environ</c>), and removes the variable from the environment that child processes inherit. The class keeps the value in
/// pinned memory for later reads. It cannot remove copies that the runtime made earlier, so a file, a credential or a token protects a
/// secret better (docs/operations/keys.md).
/// </summary>
internal static partial class TakenVariable
{
    private static readonly Lock s_lock = new();
    private static readonly ConcurrentDictionary<string, byte[]> s_taken = new(StringComparer.Ordinal);

    /// <summary>Returns the variable's value, which the caller must not change, or null if the variable is not set or is empty.</summary>
    public static byte[]? Take(string name)
    {
        lock (s_lock)
        {
            if (Environment.GetEnvironmentVariable(name) is { Length: > 0 } text)
            {
                byte[] pinned = GC.AllocateUninitializedArray<byte>(Encoding.UTF8.GetByteCount(text), pinned: true);
                _ = Encoding.UTF8.GetBytes(text, pinned);
                s_taken[name] = pinned;
                Overwrite(name);
                Environment.SetEnvironmentVariable(name, null);
            }
            return s_taken.GetValueOrDefault(name);
        }
    }

    // Overwrites the value in the memory block in which the kernel passed the variables. Does nothing if the variable is no longer there.
    private static unsafe void Overwrite(string name)
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }
        byte* value = getenv(name);
        if (value is not null)
        {
            NativeMemory.Clear(value, (nuint)MemoryMarshal.CreateReadOnlySpanFromNullTerminated(value).Length);
        }
    }

    [LibraryImport("libc", StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial byte* getenv(string name);
}
