using Microsoft.Extensions.Hosting;

namespace Optiks.ServiceDefaults;

/// <summary>Lets background parts of a host wait until the host's server listens.</summary>
internal static class HostStart
{
    /// <summary>Waits until the host has started. From then on its server listens.</summary>
    public static async Task StartedAsync(this IHostApplicationLifetime lifetime, CancellationToken cancellationToken)
    {
        var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using CancellationTokenRegistration listening = lifetime.ApplicationStarted.Register(started.SetResult);
        await started.Task.WaitAsync(cancellationToken);
    }
}
