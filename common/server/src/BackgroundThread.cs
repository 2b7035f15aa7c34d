using System.Runtime.InteropServices;

namespace Optiks;

/// <summary>
/// Runs long computations for which no request waits. They run at low priority, so that they do not slow down requests on the same
/// processors. When other threads compete for a processor, a background thread gets about a tenth of the time that each of them gets.
/// </summary>
public static partial class BackgroundThread
{
    // The nice value of the threads; see sched(7) and nice(2). A thread may raise its nice value, but needs a privilege to lower it again.
    // Each piece of work therefore gets a new thread.
    private const int Niceness = 10;

    /// <summary>Runs <paramref name="work"/> on a new thread. Threads that the native library starts for the work inherit the new thread's
    /// priority.</summary>
    public static Task<T> RunAsync<T>(Func<T> work)
    {
        ArgumentNullException.ThrowIfNull(work);
        var done = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        var thread = new Thread(() =>
        {
            try
            {
                // On Linux, `nice` changes only this thread; on other systems it would change the whole process. If the kernel refuses the
                // call, the work runs at normal priority.
                if (OperatingSystem.IsLinux())
                {
                    _ = nice(Niceness);
                }
                done.SetResult(work());
            }
#pragma warning disable CA1031 // This code passes the exception on to the caller that awaits the work.
            catch (Exception e)
#pragma warning restore CA1031
            {
                done.SetException(e);
            }
        })
        {
            IsBackground = true,
            Name = "background",
        };
        thread.Start();
        return done.Task;
    }

    /// <inheritdoc cref="RunAsync{T}(Func{T})"/>
    public static Task RunAsync(Action work)
    {
        ArgumentNullException.ThrowIfNull(work);
        return RunAsync<object?>(() =>
        {
            work();
            return null;
        });
    }

    [LibraryImport("libc")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int nice(int increment);
}
