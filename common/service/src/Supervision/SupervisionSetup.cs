using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Optiks.ServiceDefaults;

/// <summary>Makes a host send reports to its service manager, if a service manager started the host.</summary>
internal static class SupervisionSetup
{
    public static void Add(WebApplicationBuilder builder, ServiceManager? manager, SettingsFile? file,
        IReadOnlyDictionary<string, Type> settings)
    {
        if (manager is null)
        {
            return;
        }
        builder.Services.AddSingleton(services => new ReloadedParts(
            manager, builder.Configuration, file, settings, services.GetRequiredService<RateLimiter>(),
            services.GetRequiredService<IValidateOptions<RateLimitOptions>>(), services.GetService<TlsCertificate>()));
        builder.Services.AddSingleton(manager);
        builder.Services.AddHostedService<Reloading>();
        builder.Services.AddHostedService<ReadinessReports>();
    }
}
