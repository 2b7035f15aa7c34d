using Microsoft.Extensions.Hosting;

namespace Optiks.ServiceDefaults;

/// <summary>Helps parts that run next to the server and need it to listen.</summary>
internal static class HostStart
{
    /// <summary>Returns once the host has started: only then does it listen.</summary>
    public static async Task StartedAsync(this IHostApplicationLifetime lifetime, CancellationToken cancellationToken)
    {
        var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using CancellationTokenRegistration listening = lifetime.ApplicationStarted.Register(started.SetResult);
        await started.Task.WaitAsync(cancellationToken);
    }
}
