using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using System.Text;

namespace Optiks.Secrets;

/// <summary>
/// TakenVariable is a secret that came in the environment. The first who asks takes it out: it is overwritten where the kernel shows it (<c>/proc/PID/environ</c>), removed from what children inherit, and kept
/// in pinned memory for whoever asks later. What the runtime copied before is beyond reach: a file, a credential or a token is better (docs/operations/keys.md).
/// </summary>
internal static partial class TakenVariable
{
    private static readonly Lock s_lock = new();
    private static readonly ConcurrentDictionary<string, byte[]> s_taken = new(StringComparer.Ordinal);

    /// <summary>Take gives the value, of which the caller changes nothing; null: the variable is not set, or empty.</summary>
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

    // The block in which the kernel gave the variables, where nobody has moved them.
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
