using Microsoft.Extensions.Hosting;

namespace Optiks.ServiceDefaults;

/// <summary>HostStart is for parts that run beside the server, and need it to listen.</summary>
internal static class HostStart
{
    /// <summary>StartedAsync returns once the host has started: only then does it listen.</summary>
    public static async Task StartedAsync(this IHostApplicationLifetime lifetime, CancellationToken cancellationToken)
    {
        var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using CancellationTokenRegistration listening = lifetime.ApplicationStarted.Register(started.SetResult);
        await started.Task.WaitAsync(cancellationToken);
    }
}
