namespace Optiks.ServiceDefaults;

/// <summary>ThreadLimits finds out at the start that a process may have too few threads. Later the runtime ends the process when it cannot make one.</summary>
internal static class ThreadLimits
{
    // What a service has at most under load on few processors, the runtime's own threads among them.
    private const int LeastThreads = 64;
    private const int StackLength = 128 * 1024;

    /// <summary>Starts as many threads as a service needs, and ends them. Throws <see cref="StartupException"/> when one cannot be started.</summary>
    public static void RequireThreads()
    {
        using var end = new ManualResetEventSlim();
        var threads = new List<Thread>(LeastThreads);
        try
        {
            for (int i = 0; i < LeastThreads; i++)
            {
                var thread = new Thread(end.Wait, StackLength) { IsBackground = true };
                thread.Start();
                threads.Add(thread);
            }
        }
        catch (OutOfMemoryException e)
        {
            throw new StartupException($"The process could start {threads.Count} threads; {LeastThreads} are needed. Raise the limit (ulimit -u, TasksMax= of systemd, the container's limit of processes).", e);
        }
        finally
        {
            end.Set();
            threads.ForEach(thread => thread.Join());
        }
    }
}
