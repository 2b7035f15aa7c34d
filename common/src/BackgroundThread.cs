using System.Runtime.InteropServices;

namespace Optiks;

/// <summary>
/// BackgroundThread runs what computes for seconds and nobody waits for, so that those who wait for an answer on the same processors do not notice: where others want a processor too, its threads get about a
/// tenth of what each of them gets.
/// </summary>
public static partial class BackgroundThread
{
    // Of a thread's weight, sched(7) and nice(2). Raising it needs no right; nothing lowers it again without one, hence a thread for each piece of work.
    private const int Niceness = 10;

    /// <summary>RunAsync runs work on a thread of its own, which those that the native library starts for it resemble.</summary>
    public static Task<T> RunAsync<T>(Func<T> work)
    {
        ArgumentNullException.ThrowIfNull(work);
        var done = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        var thread = new Thread(() =>
        {
            try
            {
                // Of this thread alone on Linux; of the process elsewhere, which is no good. Where it is refused the work is only less polite.
                if (OperatingSystem.IsLinux())
                {
                    _ = nice(Niceness);
                }
                done.SetResult(work());
            }
#pragma warning disable CA1031 // It reaches who awaits the work.
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
