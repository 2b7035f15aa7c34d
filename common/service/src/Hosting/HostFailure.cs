using System.Runtime.ExceptionServices;
using Microsoft.Extensions.Hosting;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Ends a host from one of its background parts, with the reason as the result of its main function. Parts report faults here that a retry
/// cannot repair (settings, another database, a bug). Any thread may report; the first reason counts.
/// </summary>
public sealed class HostFailure
{
    private readonly IHostApplicationLifetime _lifetime;
    private ExceptionDispatchInfo? _reason;

    /// <summary>
    /// Takes the lifetime of the host to end. <see cref="OptiksDefaults.AddOptiksDefaults"/> adds the instance to the host.
    /// </summary>
    public HostFailure(IHostApplicationLifetime lifetime)
    {
        _lifetime = lifetime;
    }

    /// <summary>Whether <see cref="Stop"/> was called.</summary>
    public bool HasFailed => Volatile.Read(ref _reason) is not null;

    /// <summary>Stops the host; <see cref="Startup.RunHostAsync"/> throws <paramref name="reason"/> after the host has stopped.</summary>
    public void Stop(Exception reason)
    {
        Interlocked.CompareExchange(ref _reason, ExceptionDispatchInfo.Capture(reason), null);
        _lifetime.StopApplication();
    }

    /// <summary>
    /// Runs a background part of the host until it is stopped. An exception of the part is passed to <paramref name="log"/>, and ends the
    /// host.
    /// </summary>
    public async Task RunAsync(Func<CancellationToken, Task> part, Action<Exception> log, CancellationToken stop)
    {
        ArgumentNullException.ThrowIfNull(part);
        ArgumentNullException.ThrowIfNull(log);
        try
        {
            await part(stop);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // The part ended because the host was told to stop.
        }
        // The exception shows a wrong configuration, which waiting does not repair, or a bug. It ends the process and is the process's
        // result.
        catch (Exception e)
        {
            log(e);
            Stop(e);
        }
    }

    /// <summary>Throws the first reason, if a part has reported one.</summary>
    public void ThrowIfFailed() => Volatile.Read(ref _reason)?.Throw();
}
