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

/// <summary>Gives the three hosts the same behaviour in everything except their own work.</summary>
public static partial class OptiksDefaults
{
    private const int MaxRequestLineLength = 8 * 1024;
    private const int MaxRequestHeadersLength = 16 * 1024;
    private const long MaxDrainedLength = 32L * 1024 * 1024;
    private static readonly TimeSpan s_shutdownTimeout = TimeSpan.FromSeconds(15);

    /// <summary>Returns the data folder of the configuration: <c>OPTIKS_DATA</c>, or the default.</summary>
    public static DataFolder GetDataFolder(IConfiguration configuration)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        return configuration[DataFolder.Variable] is { Length: > 0 } path ? new DataFolder(path) : DataFolder.Default();
    }

    /// <summary>
    /// Adds JSON logs, telemetry, Kestrel's limits, problem details, API keys and tokens, rate limits, health checks and
    /// <see cref="DataFolder"/>. Configuration comes from these sources, and a later source overrides an earlier one: appsettings.json, the
    /// file that <c>OPTIKS_CONFIG</c> names, environment (<c>Optiks__Section__Key</c>, <c>OPTIKS_DATA</c>), command line. Throws
    /// <see cref="StartupException"/> for settings that no part reads, or that have the wrong type.
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
        // Logging never blocks: otherwise a stalled reader of standard output would stop epochs, answers, health and SIGTERM. When the
        // reader resumes, the log says how many lines were dropped.
        builder.Services.Configure<ConsoleLoggerOptions>(console => console.QueueFullMode = ConsoleLoggerQueueFullMode.DropWrite);
        // ASP.NET Core's request logs at lower levels contain URLs, and GET /v1/lookup?key= has a name in it.
        builder.Logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning);
        Telemetry.Add(builder, options.Name);

        if (string.IsNullOrEmpty(configuration[WebHostDefaults.ServerUrlsKey]) && !configuration.GetSection("Kestrel:Endpoints").Exists())
        {
            builder.WebHost.UseUrls(options.DefaultUrl);
        }
        // The addresses are checked now, before any file is made, because Kestrel checks addresses only after the background parts have
        // started.
        Array.ForEach(configuration[WebHostDefaults.ServerUrlsKey]?.Split(';', StringSplitOptions.RemoveEmptyEntries) ?? [], RequireAddress);
        // Slim builders lack the services that an https address needs.
        builder.WebHost.UseKestrelHttpsConfiguration();
        long descriptors = ConnectionLimits.Descriptors();
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            ConnectionLimits.Set(kestrel.Limits, descriptors);
            kestrel.AddServerHeader = false;
            // RequestBody counts exactly and refuses at once. Kestrel's limit bounds how much of a refused body the server still reads from
            // the connection, for a few seconds. A client that is cut off while it sends never reads the answer.
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
            return new ApiKeyStore(folder.ApiKeys, services.GetRequiredService<TimeProvider>(), problem => LogInvalidApiKeys(logger, problem));
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
    /// Adds problem details around all middleware that follows, and maps <c>/health/live</c>, <c>/health/ready</c>, the OpenAPI document
    /// and its page. Call this method first.
    /// </summary>
    public static WebApplication UseOptiksDefaults(this WebApplication app)
    {
        ArgumentNullException.ThrowIfNull(app);
        // Both files are loaded now, so that a broken file of API keys or of token keys makes the start fail.
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
        // The limits come before authorization, so that they also bound guesses of credentials.
        RateLimits.UseLimits(app);
        app.UseAuthorization();
        ApiDocument? api = app.Services.GetService<ApiDocument>();
        UrlParameters.Use(app, api);
        HealthAnswers.Map(app);
        api?.Map(app);
        Telemetry.MapMetrics(app);
        // The metrics are made now, because no other part requests them.
        app.Services.GetRequiredService<ServiceMetrics>();
        return app;
    }

    private static void RequireAddress(string url)
    {
        var address = BindingAddress.Parse(url);
        if (!address.IsUnixPipe && address.Port > IPEndPoint.MaxPort)
        {
            throw new StartupException($"The address {url} has no port from 0 to {IPEndPoint.MaxPort}: set --urls or ASPNETCORE_URLS to one such as http://127.0.0.1:8301.");
        }
    }

    [LoggerMessage(EventId = 9020, EventName = "ApiKeysInvalid", Level = LogLevel.Error, Message = "The API key file changed and is invalid; the previous keys remain in effect.")]
    private static partial void LogInvalidApiKeys(ILogger logger, SecretsException exception);
}
