using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.ServiceDefaults;

/// <summary>Adds the board to a host that reads one.</summary>
public static class BoardSetup
{
    private static readonly TimeSpan s_connectTimeout = TimeSpan.FromSeconds(5);

    // The time after which a connection is replaced, because the name of the board's server may resolve to another address by then.
    private static readonly TimeSpan s_connectionLifetime = TimeSpan.FromMinutes(2);

    // The number of connections is greater than the number of files that are fetched at once, so a request for the checkpoint never waits
    // for a file.
    private const int MaxConnections = 16;

    /// <summary>
    /// Adds <see cref="BoardWatch"/>. If the board is at a URL, the method also adds the health check <c>board</c>, metrics, and
    /// <see cref="HttpTileReader"/>, and returns true. The server at the URL is not trusted. Therefore its answers are limited in length
    /// and time, and the client follows no redirects and decompresses nothing.
    /// </summary>
    public static bool AddBoard(this WebApplicationBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        IServiceCollection services = builder.Services;
        services.AddSingleton<IValidateOptions<BoardOptions>, BoardOptionsValidator>();
        services.AddOptionsWithValidateOnStart<BoardOptions>().BindConfiguration(BoardOptions.Section);
        services.AddSingleton<BoardMetrics>();
        bool isRemote = !string.IsNullOrEmpty(builder.Configuration[$"{BoardOptions.Section}:{nameof(BoardOptions.Url)}"]);
        if (isRemote)
        {
            services.AddSingleton(provider => CreateReader(provider.GetRequiredService<IOptions<BoardOptions>>().Value));
            services.AddHealthChecks().AddCheck<BoardHealthCheck>("board");
        }
        services.AddSingleton(provider => new BoardWatch(
            provider.GetRequiredService<DataFolder>(), provider.GetRequiredService<IOptions<BoardOptions>>(),
            isRemote ? provider.GetRequiredService<HttpTileReader>() : null,
            provider.GetRequiredService<BoardMetrics>(), provider.GetRequiredService<HostFailure>(),
            provider.GetRequiredService<TimeProvider>(), provider.GetRequiredService<ILogger<BoardWatch>>()));
        services.AddHostedService(provider => provider.GetRequiredService<BoardWatch>());
        return isRemote;
    }

    // Nothing disposes the HTTP client and the reader, because they are used as long as the process runs.
    private static HttpTileReader CreateReader(BoardOptions options)
    {
        var handler = new SocketsHttpHandler
        {
            AllowAutoRedirect = false,
            UseCookies = false,
            ConnectTimeout = s_connectTimeout,
            PooledConnectionLifetime = s_connectionLifetime,
            MaxConnectionsPerServer = MaxConnections,
        };
        return new HttpTileReader(
            new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan }, options.Address!, options.Timeout, EpochRecord.Length);
    }
}
