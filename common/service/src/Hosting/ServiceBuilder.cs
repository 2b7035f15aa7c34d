using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Makes the builders of all hosts. These builders read the variables in docs/operations/variables.md and no others. ASP.NET Core's own
/// builders read more variables, with these effects. <c>ASPNETCORE_FORWARDEDHEADERS_ENABLED</c> trusts every caller's claimed address,
/// <c>ASPNETCORE_HOSTINGSTARTUPASSEMBLIES</c> loads code, and <c>ASPNETCORE_ENVIRONMENT</c> shows exceptions to callers. A watcher of
/// <c>appsettings.json</c> ends the process if inotify is exhausted.
/// </summary>
public static class ServiceBuilder
{
    private const string UrlsVariable = "ASPNETCORE_URLS";

    /// <summary>
    /// Creates a builder that reads its configuration from these sources, of which a later one overrides an earlier one: appsettings.json
    /// next to the program, the environment, <c>ASPNETCORE_URLS</c>, the command line. Throws <see cref="StartupException"/> if the process
    /// may have too few descriptors or threads.
    /// </summary>
    public static WebApplicationBuilder Create(params string[] args)
    {
        // The descriptors are checked first: with too few of them, the framework cannot even load its assemblies.
        ConnectionLimits.RequireDescriptors();
        ThreadLimits.RequireThreads();
        return Build(args);
    }

    // This is a separate method because the runtime loads the assemblies that a method needs before the method runs.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WebApplicationBuilder Build(string[] args)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions { ContentRootPath = AppContext.BaseDirectory });
        builder.Configuration
            .AddJsonFile(Path.Combine(AppContext.BaseDirectory, "appsettings.json"), optional: true, reloadOnChange: false)
            .AddEnvironmentVariables()
            .AddInMemoryCollection(Environment.GetEnvironmentVariable(UrlsVariable) is { Length: > 0 } urls ? [new(WebHostDefaults.ServerUrlsKey, urls)] : [])
            .AddCommandLine(args);
        builder.Logging.AddConfiguration(builder.Configuration.GetSection("Logging"));
        builder.Services.AddRouting();
        builder.WebHost.UseKestrelCore().ConfigureKestrel((context, kestrel) => kestrel.Configure(context.Configuration.GetSection("Kestrel"), reloadOnChange: false));
        return builder;
    }
}
