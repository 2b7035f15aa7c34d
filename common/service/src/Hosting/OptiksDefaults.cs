using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Console;
using Optiks.ApiKeys;
using Optiks.Secrets;
using Optiks.Settings;

namespace Optiks.ServiceDefaults;

/// <summary>Sets up what the three services have in common: everything except their own work.</summary>
public static partial class OptiksDefaults
{
    private const int MaxRequestLineLength = 8 * 1024;
    private const int MaxRequestHeadersLength = 16 * 1024;
    private const long MaxDrainedLength = 32L * 1024 * 1024;
    private static readonly TimeSpan s_shutdownTimeout = TimeSpan.FromSeconds(15);

    /// <summary>Returns the data folder that <c>OPTIKS_DATA</c> names in the configuration, or the default data folder.</summary>
    public static DataFolder GetDataFolder(IConfiguration configuration)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        return configuration[DataFolder.Variable] is { Length: > 0 } path ? new DataFolder(path) : DataFolder.Default();
    }

    /// <summary>
    /// Adds JSON logs, telemetry, Kestrel's limits, problem details, API keys and tokens, rate limits, health checks and
    /// <see cref="DataFolder"/>. Settings come from these sources, of which a later one overrides an earlier one: appsettings.json, the
    /// file that <c>OPTIKS_CONFIG</c> names, the environment (<c>Optiks__Section__Key</c>, <c>OPTIKS_DATA</c>), the command line. Throws
    /// <see cref="StartupException"/> if a setting has the wrong type or if no part of the host reads it.
    /// </summary>
    public static WebApplicationBuilder AddOptiksDefaults(this WebApplicationBuilder builder, OptiksServiceOptions options)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(options);
        ConfigurationManager configuration = builder.Configuration;
        SettingsFile? file = SettingsFile.AddTo(configuration);
        SettingsCheck.ThrowIfAny(configuration, options.AllSettings);

        builder.Logging.ClearProviders();
        builder.Logging.AddJsonConsole(console =>
        {
            console.UseUtcTimestamp = true;
            console.TimestampFormat = "O";
        });
        // If the reader of standard output stalls, the host drops log lines and does not wait for the reader. Otherwise a stalled reader
        // would stop epochs, answers, health checks and the end after SIGTERM. When the reader resumes, the log says how many lines were
        // dropped.
        builder.Services.Configure<ConsoleLoggerOptions>(console => console.QueueFullMode = ConsoleLoggerQueueFullMode.DropWrite);
        // At lower levels, ASP.NET Core logs the URLs of requests, and the URL of `GET /v1/lookup?key=` contains a name.
        builder.Logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning);
        Telemetry.Add(builder, options.Name);

        if (string.IsNullOrEmpty(configuration[WebHostDefaults.ServerUrlsKey]) && !configuration.GetSection("Kestrel:Endpoints").Exists())
        {
            builder.WebHost.UseUrls(options.DefaultUrl);
        }
        // The addresses to listen on are checked now, before the host creates any file. Kestrel would check them only after the background
        // parts have started.
        Array.ForEach(configuration[WebHostDefaults.ServerUrlsKey]?.Split(';', StringSplitOptions.RemoveEmptyEntries) ?? [],
            RequireAddress);
        // Slim builders lack the services that an https address needs.
        builder.WebHost.UseKestrelHttpsConfiguration();
        long descriptors = ConnectionLimits.Descriptors();
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            ConnectionLimits.Set(kestrel.Limits, descriptors);
            kestrel.AddServerHeader = false;
            // `RequestBody` enforces the exact limit of each endpoint. Kestrel's limit is higher, so that the server still reads the rest
            // of a refused body for a few seconds. If the server closed the connection while the client is sending, the client would never
            // read the answer.
            kestrel.Limits.MaxRequestBodySize = Math.Max(MaxDrainedLength, 2 * options.MaxRequestBodyLength);
            kestrel.Limits.MaxRequestLineSize = MaxRequestLineLength;
            kestrel.Limits.MaxRequestHeadersTotalSize = MaxRequestHeadersLength;
        });
        builder.Services.AddSingleton<IConnectionListenerFactory, BoundedListeners>();
        TlsSetup.Add(builder);
        SupervisionSetup.Add(builder, ServiceManager.Find(name => configuration[name]), file, options.AllSettings);
        builder.Services.Configure<HostOptions>(host => host.ShutdownTimeout = s_shutdownTimeout);

        DataFolder folder = GetDataFolder(configuration);
        if (options.WritesData)
        {
            folder.EnsureWritable();
        }
        builder.Services.AddSingleton(folder);
        if (options.Api is not null)
        {
            builder.Services.AddSingleton(options.Api);
        }
        builder.Services.TryAddSingleton(TimeProvider.System);
        builder.Services.AddSingleton<HostFailure>();
        builder.Services.AddSingleton(services =>
        {
            ILogger<ApiKeyStore> logger = services.GetRequiredService<ILogger<ApiKeyStore>>();
            return new ApiKeyStore(folder.ApiKeys, services.GetRequiredService<TimeProvider>(),
                problem => LogInvalidApiKeys(logger, problem));
        });
        TokenSetup.Add(builder);
        BearerAuthentication.Add(builder);
        RateLimits.Add(builder.Services);
        BrowserAccess.Add(builder.Services);
        builder.Services.AddSingleton<ServedCertificates>();
        builder.Services.AddSingleton<ServiceMetrics>();
        builder.Services.AddHostedService<CertificateWatch>();
        builder.Services.AddExceptionHandler<ExceptionAnswers>();
        builder.Services.AddHealthChecks().AddCheck<ApiKeysHealth>("api-keys");
        return builder;
    }

    /// <summary>
    /// Adds problem details for all later middleware, and maps <c>/health/live</c>, <c>/health/ready</c>, the OpenAPI document and its
    /// page. Call this method before adding other middleware.
    /// </summary>
    public static WebApplication UseOptiksDefaults(this WebApplication app)
    {
        ArgumentNullException.ThrowIfNull(app);
        // The files of API keys and of token keys are loaded now, so that the host does not start if one of them is invalid.
        app.Services.GetRequiredService<ApiKeyStore>();
        app.Services.GetRequiredService<TokenVerifier>();
        app.Services.GetService<Draining>()?.Use(app);
        PathForm.Use(app);
        Telemetry.UseSpans(app);
        app.UseExceptionHandler(_ => { });
        app.UseStatusCodePages(context =>
        {
            ProblemType type = ProblemType.ForStatus(context.HttpContext.Response.StatusCode);
            return new Problem(type, type.Title).ExecuteAsync(context.HttpContext);
        });
        RateLimits.UseForwardedCallers(app);
        app.UseRouting();
        Telemetry.UseRoutes(app);
        BrowserAccess.Use(app);
        app.UseAuthentication();
        // Rate limits come before authorization, so that they also limit attempts to guess credentials.
        RateLimits.UseLimits(app);
        app.UseAuthorization();
        ApiDocument? api = app.Services.GetService<ApiDocument>();
        UrlParameters.Use(app, api);
        HealthAnswers.Map(app);
        api?.Map(app);
        Telemetry.MapMetrics(app);
        // The object for metrics is created now, because no other part of the host would create it.
        app.Services.GetRequiredService<ServiceMetrics>();
        return app;
    }

    private static void RequireAddress(string url)
    {
        var address = BindingAddress.Parse(url);
        if (!address.IsUnixPipe && address.Port > IPEndPoint.MaxPort)
        {
            throw new StartupException(
                $"The address {url} has no port from 0 to {IPEndPoint.MaxPort}: set --urls or ASPNETCORE_URLS to one such as http://127.0.0.1:8301.");
        }
    }

    [LoggerMessage(EventId = 9020, EventName = "ApiKeysInvalid", Level = LogLevel.Error,
        Message = "The API key file changed and is invalid; the previous keys remain in effect.")]
    private static partial void LogInvalidApiKeys(ILogger logger, SecretsException exception);
}
