namespace Optiks.ServiceDefaults;

/// <summary>
/// Checks at the start that the process may create enough threads. If a thread could not be created later, the .NET runtime would end the
/// process.
/// </summary>
internal static class ThreadLimits
{
    // The highest number of threads that a service has under load on a machine with few processors, including the runtime's own threads.
    private const int LeastThreads = 64;
    private const int StackLength = 128 * 1024;

    /// <summary>
    /// Starts as many threads as a service needs, to test that this is possible, and ends them. Throws <see cref="StartupException"/> if a
    /// thread cannot be started.
    /// </summary>
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
            throw new StartupException(
                $"The process could start {threads.Count} threads; {LeastThreads} are needed. Raise the limit (ulimit -u, TasksMax= of systemd, the container's limit of processes).", e);
        }
        finally
        {
            end.Set();
            threads.ForEach(thread => thread.Join());
        }
    }
}
