using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Optiks.ServiceDefaults;

/// <summary>Makes a host continue to answer requests for some time after it was told to stop.</summary>
public static class DrainingSetup
{
    /// <summary>
    /// Adds <see cref="Draining"/> and the health check <c>drain</c> to a host. The function <paramref name="time"/> returns the drain time
    /// from the host's options.
    /// </summary>
    public static void AddDraining(this WebApplicationBuilder builder, Func<IServiceProvider, TimeSpan> time)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Services.AddSingleton(services => new Draining(time(services), services.GetRequiredService<TimeProvider>()));
        builder.Services.AddHostedService(services => services.GetRequiredService<Draining>());
        builder.Services.AddHealthChecks().AddCheck<Draining>("drain");
    }
}
