using System.Runtime.ExceptionServices;
using Microsoft.Extensions.Hosting;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Ends a host when one of its background parts fails; the host's main function then throws the reason. Parts report faults here that a
/// retry cannot repair, such as a wrong setting, a wrong database or a bug. Any thread may report a fault, and the first reported fault
/// counts.
/// </summary>
public sealed class HostFailure
{
    private readonly IHostApplicationLifetime _lifetime;
    private ExceptionDispatchInfo? _reason;

    /// <summary>
    /// Creates the instance for the host with this lifetime. <see cref="OptiksDefaults.AddOptiksDefaults"/> adds the instance to the host.
    /// </summary>
    public HostFailure(IHostApplicationLifetime lifetime)
    {
        _lifetime = lifetime;
    }

    /// <summary>Whether <see cref="Stop"/> was called.</summary>
    public bool HasFailed => Volatile.Read(ref _reason) is not null;

    /// <summary>Stops the host; <see cref="Startup.RunHostAsync"/> throws the exception <paramref name="reason"/> after the host has
    /// stopped.</summary>
    public void Stop(Exception reason)
    {
        Interlocked.CompareExchange(ref _reason, ExceptionDispatchInfo.Capture(reason), null);
        _lifetime.StopApplication();
    }

    /// <summary>
    /// Runs a background part of the host until the token <paramref name="stop"/> is cancelled. If the part throws an exception, the method
    /// passes it to the action <paramref name="log"/> and ends the host.
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
        // The exception is the sign of a wrong configuration, which waiting does not repair, or of a bug. It ends the host, whose main
        // function throws it.
        catch (Exception e)
        {
            log(e);
            Stop(e);
        }
    }

    /// <summary>Throws the first reason, if a part has reported one.</summary>
    public void ThrowIfFailed() => Volatile.Read(ref _reason)?.Throw();
}
