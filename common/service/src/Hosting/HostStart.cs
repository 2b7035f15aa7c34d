using Microsoft.Extensions.Hosting;

namespace Optiks.ServiceDefaults;

/// <summary>Helps parts of a host that must wait until the server listens.</summary>
internal static class HostStart
{
    /// <summary>Returns once the host has started, because the server listens only then.</summary>
    public static async Task StartedAsync(this IHostApplicationLifetime lifetime, CancellationToken cancellationToken)
    {
        var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using CancellationTokenRegistration listening = lifetime.ApplicationStarted.Register(started.SetResult);
        await started.Task.WaitAsync(cancellationToken);
    }
}
