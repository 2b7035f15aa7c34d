using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Optiks.ServiceDefaults;

/// <summary>Makes a host continue to answer for a while after it was told to stop.</summary>
public static class DrainingSetup
{
    /// <summary>
    /// Adds draining with the time that <paramref name="time"/> finds in the host's options, and the health check <c>drain</c>.
    /// </summary>
    public static void AddDraining(this WebApplicationBuilder builder, Func<IServiceProvider, TimeSpan> time)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Services.AddSingleton(services => new Draining(time(services), services.GetRequiredService<TimeProvider>()));
        builder.Services.AddHostedService(services => services.GetRequiredService<Draining>());
        builder.Services.AddHealthChecks().AddCheck<Draining>("drain");
    }
}
