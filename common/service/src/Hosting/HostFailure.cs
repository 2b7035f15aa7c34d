using System.Runtime.ExceptionServices;
using Microsoft.Extensions.Hosting;

namespace Optiks.ServiceDefaults;

/// <summary>
/// HostFailure ends a host from one of its background parts, with the reason as the result of its main function: what cannot be mended by trying again (settings, another database, a
/// bug). Any thread; the first reason counts.
/// </summary>
public sealed class HostFailure
{
    private readonly IHostApplicationLifetime _lifetime;
    private ExceptionDispatchInfo? _reason;

    /// <summary>HostFailure of one host; <see cref="OptiksDefaults.AddOptiksDefaults"/> adds it.</summary>
    public HostFailure(IHostApplicationLifetime lifetime)
    {
        _lifetime = lifetime;
    }

    /// <summary>HasFailed says whether there was a <see cref="Stop"/>.</summary>
    public bool HasFailed => Volatile.Read(ref _reason) is not null;

    /// <summary>Stop the host; <see cref="Startup.RunHostAsync"/> throws <paramref name="reason"/> when it has stopped.</summary>
    public void Stop(Exception reason)
    {
        Interlocked.CompareExchange(ref _reason, ExceptionDispatchInfo.Capture(reason), null);
        _lifetime.StopApplication();
    }

    /// <summary>RunAsync runs a background part of the host until it is stopped. What the part throws otherwise is given to <paramref name="log"/>, and ends the host.</summary>
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
            // The shutdown that was asked for.
        }
        // Configuration that no waiting mends, and bugs: both end the process, with the exception as its result.
        catch (Exception e)
        {
            log(e);
            Stop(e);
        }
    }

    /// <summary>ThrowIfFailed throws the reason, if there is one.</summary>
    public void ThrowIfFailed() => Volatile.Read(ref _reason)?.Throw();
}
