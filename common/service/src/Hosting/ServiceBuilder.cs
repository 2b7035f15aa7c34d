using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Makes the builders of all hosts. These builders read only the variables that docs/operations/variables.md lists. ASP.NET Core's own
/// builders read more variables, with these effects. <c>ASPNETCORE_FORWARDEDHEADERS_ENABLED</c> trusts every caller's claimed address,
/// <c>ASPNETCORE_HOSTINGSTARTUPASSEMBLIES</c> loads code, and <c>ASPNETCORE_ENVIRONMENT</c> shows exceptions to callers. They also watch
/// <c>appsettings.json</c>, which ends the process if the system has no inotify instances left.
/// </summary>
public static class ServiceBuilder
{
    private const string UrlsVariable = "ASPNETCORE_URLS";

    /// <summary>
    /// Creates a builder that reads its configuration from these sources, of which a later one overrides an earlier one: appsettings.json
    /// next to the program, the environment, <c>ASPNETCORE_URLS</c>, the command line. Throws <see cref="StartupException"/> if the process
    /// may not open enough descriptors or start enough threads.
    /// </summary>
    public static WebApplicationBuilder Create(params string[] args)
    {
        // The number of descriptors is checked first, because with too few of them the framework cannot even load its assemblies.
        ConnectionLimits.RequireDescriptors();
        ThreadLimits.RequireThreads();
        return Build(args);
    }

    // This code is a separate method, because the runtime loads all assemblies that a method needs before the method runs. The checks in
    // `Create` must run before the assemblies are loaded.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WebApplicationBuilder Build(string[] args)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(
            new WebApplicationOptions { ContentRootPath = AppContext.BaseDirectory });
        builder.Configuration
            .AddJsonFile(Path.Combine(AppContext.BaseDirectory, "appsettings.json"), optional: true, reloadOnChange: false)
            .AddEnvironmentVariables()
            .AddInMemoryCollection(
                Environment.GetEnvironmentVariable(UrlsVariable) is { Length: > 0 } urls ? [new(WebHostDefaults.ServerUrlsKey, urls)] : [])
            .AddCommandLine(args);
        builder.Logging.AddConfiguration(builder.Configuration.GetSection("Logging"));
        builder.Services.AddRouting();
        builder.WebHost.UseKestrelCore()
            .ConfigureKestrel((context, kestrel) => kestrel.Configure(context.Configuration.GetSection("Kestrel"), reloadOnChange: false));
        return builder;
    }
}
