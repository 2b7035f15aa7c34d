using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.ServiceDefaults;

/// <summary>Adds the board to a host that uses it.</summary>
public static class BoardSetup
{
    private static readonly TimeSpan s_connectTimeout = TimeSpan.FromSeconds(5);

    // A connection is replaced after this time, because the board's name may then resolve to another address.
    private static readonly TimeSpan s_connectionLifetime = TimeSpan.FromMinutes(2);

    // This is more than the number of files fetched at once, so the checkpoint never waits for a file.
    private const int MaxConnections = 16;

    /// <summary>
    /// Adds <see cref="BoardWatch"/>. For a board at a URL it also adds the health check <c>board</c>, metrics, and
    /// <see cref="HttpTileReader"/>. The server at the URL is not trusted: answers are bounded in length and time, no redirect is followed
    /// and nothing is decompressed. Returns true if the board is at a URL.
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
            provider.GetRequiredService<DataFolder>(), provider.GetRequiredService<IOptions<BoardOptions>>(), isRemote ? provider.GetRequiredService<HttpTileReader>() : null,
            provider.GetRequiredService<BoardMetrics>(), provider.GetRequiredService<HostFailure>(), provider.GetRequiredService<TimeProvider>(), provider.GetRequiredService<ILogger<BoardWatch>>()));
        services.AddHostedService(provider => provider.GetRequiredService<BoardWatch>());
        return isRemote;
    }

    // The HTTP client and the reader live as long as the process.
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
        return new HttpTileReader(new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan }, options.Address!, options.Timeout, EpochRecord.Length);
    }
}
